// Updates of batches: all ways leave the same bytes and answers; what is special to each way.
#include "engine/src/batches/update_batch.h"

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "engine/src/batches/split_update.h"
#include "engine/src/keys/radix_split.h"
#include "support/catch.h"
#include "support/ways.h"

namespace trommel {
namespace {

using tests::Way;
using tests::WayStore;

std::vector<uint64_t> RandomDigests(size_t size, uint64_t num_distinct, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) {
    digest = (random() % num_distinct + 1) * 0x9e3779b97f4a7c15;  // the same few in every batch
  }
  return digests;
}

struct Outcome {
  uint64_t num_applied;
  std::vector<uint64_t> answers;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Inserts, inserts again if absent, erases members and non-members: the outcome of each, in order.
std::vector<Outcome> Follow(WayStore& store, size_t batch, uint64_t num_distinct) {
  std::vector<Outcome> outcomes;
  uint64_t seed = Catch::rngSeed();
  for (const Update update :
       {Update::kInsert, Update::kInsertIfAbsent, Update::kErase, Update::kInsert, Update::kErase,
        Update::kInsertIfAbsent, Update::kErase}) {
    const std::vector<uint64_t> digests = RandomDigests(batch, num_distinct, ++seed);
    const bool wants_answers = update != Update::kInsert && seed % 3 != 0;
    std::vector<uint64_t> answers(wants_answers ? (batch + 63) / 64 : 0, ~uint64_t{0});
    const uint64_t num_applied = store.Apply(update, Keys::Digests(digests), answers);
    outcomes.push_back({num_applied, answers});
  }
  return outcomes;
}

bool SameBytes(const BlockStore& a, const BlockStore& b) {
  const auto equal = [](std::span<const std::byte> x, std::span<const std::byte> y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  if (!equal(a.presence().bytes(), b.presence().bytes())) return false;
  if (!equal(a.counts().bytes(), b.counts().bytes())) return false;
  if (a.side_table().SortedBlocks() != b.side_table().SortedBlocks()) return false;
  BlockStore::Counters ours;
  BlockStore::Counters theirs;
  for (const uint64_t b_idx : a.side_table().SortedBlocks()) {
    a.ReadCounters(b_idx, ours);
    b.ReadCounters(b_idx, theirs);
    if (!std::equal(ours.begin(), ours.begin() + static_cast<std::ptrdiff_t>(a.num_counters()),
                    theirs.begin())) {
      return false;
    }
  }
  return true;
}

TEST_CASE("every way of a batch gives the same answers and leaves the same bytes",
          "[engine][update_batch][threads]") {
  struct Size {
    size_t batch;
    uint64_t num_distinct;
    Geometry geometry;
  };
  const Size size = GENERATE(
      Size{0, 1, {.shard_bits = 2, .num_blocks = 4}},
      Size{1, 1, {.shard_bits = 0, .num_blocks = 3}},
      Size{64, 100, {.shard_bits = 3, .num_blocks = 16}},
      Size{65, 100, {.shard_bits = 3, .num_blocks = 16}},
      Size{2049, 900, {.shard_bits = 5, .num_blocks = 96}},                 // a few to a block
      Size{5000, 40, {.num_slices = 8, .shard_bits = 2, .num_blocks = 4}},  // all promoted
      Size{70'001, 30'000, {.shard_bits = 10, .num_blocks = 32'768}},  // two chunks in one round
      Size{2049,
           900,
           {.num_slices = 4, .encoding = Encoding::kRuns, .shard_bits = 5, .num_blocks = 96}},
      Size{4000,
           300,
           {.num_slices = 8, .encoding = Encoding::kRuns, .shard_bits = 5, .num_blocks = 96}},
      Size{5000,
           40,
           {.num_slices = 10, .encoding = Encoding::kRuns, .shard_bits = 2, .num_blocks = 4}},
      Size{70'001,
           30'000,
           {.num_slices = 5, .encoding = Encoding::kRuns, .shard_bits = 10, .num_blocks = 4096}},
      Size{70'001,
           30'000,
           {.shard_bits = 12, .num_blocks = 4096}});  // two rounds; more shards than owned ranges
  WayStore direct({Route::kDirect, 0, false}, size.geometry);
  const std::vector<Outcome> want = Follow(direct, size.batch, size.num_distinct);
  for (const Way& way : tests::AllWays()) {
    INFO(way.name() << ", batches of " << size.batch);
    WayStore store(way, size.geometry);
    CHECK(Follow(store, size.batch, size.num_distinct) == want);
    CHECK(SameBytes(store.store, direct.store));
    if (store.locks != nullptr) {
      uint64_t num_keys = 0;
      for (size_t i = 0; i < want.size(); ++i) {
        num_keys += i == 2 || i == 4 || i == 6 ? 0 - want[i].num_applied : want[i].num_applied;
      }
      CHECK(store.locks->num_keys() == num_keys);
    }
  }
}

TEST_CASE("splitting is worth it for large batches into large filters, and for many threads",
          "[engine][update_batch]") {
  const UpdateCost small = UpdateCost::Of({.shard_bits = 3, .num_blocks = 8192});       // 1 MiB
  const UpdateCost large = UpdateCost::Of({.shard_bits = 8, .num_blocks = 1'000'192});  // 122 MiB
  const UpdateCost undivided = UpdateCost::Of({.shard_bits = 0, .num_blocks = 1'000'000});
  CHECK_FALSE(IsWorthSplitting(small, 10'000'000, 1));
  const UpdateCost middling = UpdateCost::Of({.shard_bits = 7, .num_blocks = 131'072});  // 16 MiB
  CHECK(IsWorthSplitting(middling, 300'000, 1));
  CHECK_FALSE(IsWorthSplitting(middling, 200'000, 1));
  const UpdateCost between = UpdateCost::Of({.shard_bits = 7, .num_blocks = 196'608});  // 24 MiB
  CHECK(IsWorthSplitting(between, 200'000, 1));
  CHECK_FALSE(IsWorthSplitting(between, 190'000, 1));
  CHECK(IsWorthSplitting(small, 20'000, 2));
  CHECK_FALSE(IsWorthSplitting(small, 1000, 2));
  CHECK(IsWorthSplitting(large, 2'000'000, 1));
  CHECK_FALSE(IsWorthSplitting(large, 100'000, 1));
  CHECK_FALSE(IsWorthSplitting(undivided, 10'000'000, 8));
}

TEST_CASE("a digest range is applied under its lock, and its keys are counted there",
          "[engine][update_batch]") {
  WayStore store({Route::kDirect, 0, true}, {.shard_bits = 2, .num_blocks = 16});
  REQUIRE(store.locks->lock_bits() == 2);
  const BatchTarget target{
      .store = store.store, .policy = store.policy, .locks = store.locks.get()};
  // Keys 1 and 2 of four, in the third quarter of the blocks.
  const std::vector<uint64_t> digests = {0, uint64_t{2} << 62 | 5, uint64_t{2} << 62 | 77, 0};
  uint64_t bits = 0;
  const size_t range = RangeOf(digests[1], 2);
  CHECK(range == 2);
  CHECK(ApplyRange(target, Update::kInsert, digests.data(), {1, 3}, range, 2, {}).num_applied == 2);
  CHECK(store.locks->Hold(2, 2).num_keys() == 2);
  CHECK(store.locks->num_keys() == 2);
  const auto erase = [&] {
    return ApplyRange(target, Update::kErase, digests.data(), {1, 3}, range, 2, std::span(&bits, 1))
        .num_applied;
  };
  CHECK(erase() == 2);
  CHECK(bits == 6);
  bits = 1;  // another digest range's answer in the same word is not counted, and stays
  CHECK(erase() == 0);
  CHECK(bits == 1);
  CHECK(store.locks->num_keys() == 0);
}

TEST_CASE("a split of no keys does nothing", "[engine][update_batch]") {
  WayStore store({Route::kSplit, 0, false}, {.shard_bits = 1, .num_blocks = 2});
  const BatchTarget target{.store = store.store, .policy = store.policy};
  const auto outcome =
      UpdateBatch(target, Update::kInsert, Keys::Digests(std::vector<uint64_t>()), {});
  CHECK(outcome.num_applied == 0);
  CHECK(store.store.Tally().num_present == 0);
}

}  // namespace
}  // namespace trommel
