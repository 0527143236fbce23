// Stores that grow for which the system refuses memory, at any of their allocations, or whose limit
// of side memory leaves none: what is refused was not done, and no erasure needs memory.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "engine/src/growing/growing_store.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "trommel/scalable_filter.h"

namespace trommel {
namespace {

using tests::AllocationPeak;
using tests::Refused;
using tests::RefusedAllocation;
using tests::WasRefusedAt;

using Digests = std::vector<uint64_t>;

// What insertions did: a bit for each that was refused.
struct Inserted {
  std::vector<uint64_t> refused;
  uint64_t num_refused = 0;

  explicit Inserted(size_t num_keys) : refused(BitmapWords(num_keys)) {}
  bool IsRefused(size_t i) const { return (refused[i / 64] >> (i % 64) & 1) != 0; }
};

void InsertInto(GrowingStore& store, std::span<const uint64_t> digests, Inserted& inserted) {
  inserted.num_refused += store.ApplyNoting(Update::kInsert, digests.data(), {0, digests.size()},
                                            nullptr, inserted.refused.data());
}

// So many keys in random order, some of them hot; and more of one block.
Digests ManyKeys(size_t num_keys, uint64_t seed, size_t num_of_one_block = 100) {
  std::mt19937_64 random(seed);
  Digests digests(num_keys);
  for (uint64_t& digest : digests) digest = random();
  for (size_t i = 0; i < num_of_one_block; ++i) {
    digests.push_back(digests[0] >> 48 << 48 | random() >> 16);
  }
  for (size_t i = 0; i < 200; ++i) digests.insert(digests.end(), 1 + i % 9, digests[i]);
  std::ranges::shuffle(digests, random);
  return digests;
}

// By default blocks that may not double: the crowd fills them to 25 keys each.
std::unique_ptr<GrowingStore> CrowdableStore(uint32_t most_doublings = 0) {
  return GrowingStore::Create({.most_doublings = most_doublings}).value();
}
constexpr size_t kCrowd = 205'000;

// Each key that was not refused is in, can be erased, and then nothing is left.
void CheckContents(GrowingStore& store, const Digests& digests, const Inserted& inserted) {
  Digests in;
  for (size_t i = 0; i < digests.size(); ++i) {
    if (!inserted.IsRefused(i)) in.push_back(digests[i]);
  }
  CHECK(in.size() == digests.size() - inserted.num_refused);
  std::vector<uint64_t> bits(BitmapWords(in.size()));
  CHECK(store.Query(in, bits.data()) == in.size());
  std::ranges::fill(bits, 0);
  store.Apply(Update::kErase, in.data(), {0, in.size()}, bits.data());
  uint64_t num_erased = 0;
  for (const uint64_t word : bits) num_erased += static_cast<uint64_t>(std::popcount(word));
  CHECK(num_erased == in.size());
  const GrowingFigures figures = store.Figures();
  CHECK(figures.num_entries == 0);
  CHECK(figures.num_marked == 0);
  CHECK(figures.num_undecided == 0);
}

}  // namespace

TEST_CASE("an insertion that finds no memory for the side table is refused, at any allocation",
          "[engine][growing][refused_memory][long]") {
  if (!AllocationPeak::IsCounted()) return;
  const Digests digests = ManyKeys(kCrowd, Catch::rngSeed());
  uint64_t num_refused = 0;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; n += 1 + n / 2) {
    CAPTURE(n);
    const auto store = CrowdableStore();
    Inserted inserted(digests.size());
    was_refused = WasRefusedAt(n, [&] { InsertInto(*store, digests, inserted); });
    const GrowingFigures figures = store->Figures();
    CHECK(figures.num_refused_inserts == inserted.num_refused);
    CHECK(figures.side_table_bytes > 0);
    num_refused += figures.num_refused_by_side;
    CheckContents(*store, digests, inserted);
  }
  CHECK(num_refused > 0);
}

TEST_CASE("a step that finds no memory for the side table is not done, and loses nothing",
          "[engine][growing][refused_memory]") {
  if (!AllocationPeak::IsCounted()) return;
  // Of few shards, so that one of them grows past its first blocks, and folds.
  Digests digests = ManyKeys(60'000, Catch::rngSeed());
  for (uint64_t& digest : digests) digest >>= 4;
  uint64_t num_steps = 0;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; n += 1 + n / 4) {
    CAPTURE(n);
    const auto store = CrowdableStore(6);
    Inserted inserted(digests.size());
    was_refused = WasRefusedAt(n, [&] { InsertInto(*store, digests, inserted); });
    num_steps += store->Figures().num_refused_growths;
    CheckContents(*store, digests, inserted);
  }
  CHECK(num_steps > 0);
}

TEST_CASE("a fold that finds no memory for the side table is not done, and loses nothing",
          "[engine][growing][refused_memory][long]") {
  if (!AllocationPeak::IsCounted()) return;
  std::mt19937_64 random(Catch::rngSeed());
  Digests hot;  // which stay
  for (size_t i = 0; i < 2'000; ++i) hot.insert(hot.end(), 6, random() >> 4);
  Digests others(60'000);
  for (uint64_t& digest : others) digest = random() >> 4;
  uint64_t least_blocks = ~uint64_t{0};
  uint64_t most_blocks = 0;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; n += 1 + n / 4) {
    CAPTURE(n);
    const auto store = CrowdableStore(6);
    Inserted inserted(hot.size());
    Inserted others_inserted(others.size());
    InsertInto(*store, hot, inserted);
    InsertInto(*store, others, others_inserted);
    REQUIRE(inserted.num_refused + others_inserted.num_refused == 0);
    std::vector<uint64_t> bits(BitmapWords(others.size()));
    was_refused = WasRefusedAt(n, [&] {
      store->Apply(Update::kErase, others.data(), {0, others.size()}, bits.data());
    });
    const uint64_t num_blocks = store->Figures().num_blocks;
    least_blocks = std::min(least_blocks, num_blocks);
    most_blocks = std::max(most_blocks, num_blocks);
    CheckContents(*store, hot, inserted);
  }
  CHECK(most_blocks >= least_blocks);
}

TEST_CASE("no erasure of a store that grows needs memory", "[engine][growing][refused_memory]") {
  if (!AllocationPeak::IsCounted()) return;
  const uint32_t most_doublings = GENERATE(0U, 3U);
  Digests digests = ManyKeys(most_doublings == 0 ? kCrowd : 2 * kCrowd, Catch::rngSeed());
  const auto store = CrowdableStore(most_doublings);
  Inserted inserted(digests.size());
  InsertInto(*store, digests, inserted);
  std::ranges::shuffle(digests, std::mt19937_64(Catch::rngSeed()));
  REQUIRE(inserted.num_refused == 0);
  std::vector<uint64_t> bits(BitmapWords(digests.size()));
  size_t num_missed = 0;
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    const size_t half = digests.size() / 2 / 64 * 64;
    store->Apply(Update::kErase, digests.data(), {0, half}, bits.data());
    for (size_t i = half; i < digests.size(); ++i) num_missed += !store->MayContain(digests[i]);
    store->Apply(Update::kErase, digests.data(), {half, digests.size()}, bits.data());
  }
  CHECK(num_missed == 0);
  uint64_t num_erased = 0;
  for (const uint64_t word : bits) num_erased += static_cast<uint64_t>(std::popcount(word));
  CHECK(num_erased == digests.size());
  CHECK(store->Figures().num_entries == 0);
  CHECK(store->Figures().side_table_bytes == 0);
}

TEST_CASE("with a limit of side memory no update of a store that grows allocates",
          "[engine][growing][side_limit]") {
  if (!AllocationPeak::IsCounted()) return;
  const Digests digests = ManyKeys(kCrowd, Catch::rngSeed(), 0);
  const auto store = CrowdableStore();
  const auto other = CrowdableStore();
  // Both have blocks, and are then filled.
  const size_t half = digests.size() / 2 / 64 * 64;
  Inserted inserted(digests.size());
  InsertInto(*store, std::span(digests).first(half), inserted);
  InsertInto(*other, std::span(digests).first(half), inserted);
  REQUIRE(inserted.num_refused == 0);
  constexpr uint64_t kLimit = 64 * 64 * 20;
  REQUIRE(store->LimitSideMemory(kLimit).ok());
  REQUIRE(other->LimitSideMemory(kLimit).ok());
  CHECK(store->Figures().side_table_bytes == kLimit);
  Inserted by_one(digests.size());
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    inserted.num_refused = store->ApplyNoting(
        Update::kInsert, digests.data(), {half, digests.size()}, nullptr, inserted.refused.data());
    for (size_t i = half; i < digests.size(); ++i) {
      by_one.num_refused += other->ApplyNoting(Update::kInsert, digests.data(), {i, i + 1}, nullptr,
                                               by_one.refused.data());
    }
  }
  CHECK(inserted.num_refused > 100);
  CHECK(store->Figures().num_refused_by_side == inserted.num_refused);
  CHECK((inserted.refused == by_one.refused));
  for (size_t s = 0; s < GrowingStore::kNumShards; ++s) {
    CHECK((store->ReadShard(s) == other->ReadShard(s)));
  }
  CHECK(store->LimitSideMemory(kLimit / 4).error().code == ErrorCode::kOutOfMemory);
  CHECK(store->side_memory_limit_bytes() == kLimit);
  CheckContents(*store, digests, inserted);
  CHECK(store->LimitSideMemory(kLimit / 5).ok());
  CHECK(store->LimitSideMemory(0).ok());
  CHECK(store->Figures().side_table_bytes == 0);
}

TEST_CASE("a store whose side memory is nearly full to its limit grows all the same",
          "[engine][growing][side_limit]") {
  const auto store = CrowdableStore(4);
  constexpr uint64_t kEntries = 10;  // of a shard
  REQUIRE(store->LimitSideMemory(GrowingStore::kNumShards * 64 * 2 * kEntries).ok());
  std::mt19937_64 random(Catch::rngSeed());
  Digests digests;
  // Three are left: digests that become blocks may become equal strings, which need an entry.
  for (uint64_t i = 0; i < 64 * (kEntries - 3); ++i) {
    digests.insert(digests.end(), 3, random() >> 6 | i % 64 << 58);
  }
  Inserted hot(digests.size());
  InsertInto(*store, digests, hot);
  CHECK(hot.num_refused == 0);
  Digests more(64 * 5'000);
  for (uint64_t& digest : more) digest = random();
  Inserted inserted(more.size());
  InsertInto(*store, more, inserted);
  CHECK(store->Figures().num_digest_shards == 0);
  CHECK(store->Figures().num_refused_growths == 0);
  // Those that would be counted at another key's string are refused: of these there are few.
  CHECK(inserted.num_refused < more.size() / 500);
  for (size_t i = 0; i < more.size(); ++i) {
    if (!inserted.IsRefused(i)) REQUIRE(store->EraseOne(more[i]));
  }
  CheckContents(*store, digests, hot);
}

TEST_CASE("a doubling filter with a limit of side memory says which keys it refused",
          "[engine][scalable][side_limit]") {
  constexpr uint64_t kLimit = 64 * 64 * 8;
  ScalableFilter filter = ScalableFilter::Create({.first_capacity = 1000,
                                                  .digest = {.kind = DigestKind::kCaller},
                                                  .side_memory_limit_bytes = kLimit})
                              .value();
  REQUIRE(filter.mode() == GrowthMode::kDoubling);
  // Each hot key takes an entry: 4 per part are in.
  std::mt19937_64 random(Catch::rngSeed());
  Digests hot;
  for (uint64_t i = 0; i < 64 * 40; ++i) hot.insert(hot.end(), 2, random() >> 6 | i % 64 << 58);
  std::vector<uint64_t> bits(BitmapWords(hot.size()));
  const InsertOutcome outcome = filter.Insert(Keys::Digests(hot), bits);
  CHECK(outcome.refusal == GrowthRefusal::kSideMemoryLimit);
  CHECK(outcome.num_refused == 64 * 36);
  CHECK(outcome.num_inserted == hot.size() - outcome.num_refused);
  CHECK(filter.GetStats().num_refused_inserts == outcome.num_refused);
  CHECK(filter.GetStats().doubling.side_table_bytes == kLimit);

  ScalableFilter copy = filter.Clone().value();
  CHECK(copy == filter);
  CHECK_FALSE(copy.Insert(Key::Digest(hot.back())));
  CHECK(copy.LimitSideMemory(4 * kLimit).ok());
  CHECK(copy.Insert(Key::Digest(hot.back())));
  CHECK(copy.LimitSideMemory(0).ok());
  CHECK(copy.Merge(filter).ok());
  CHECK(copy.LimitSideMemory(kLimit).error().code == ErrorCode::kOutOfMemory);
  filter.Clear();
  CHECK(filter.Insert(Keys::Digests(hot)).num_refused == outcome.num_refused);

  CHECK(filter.LimitSideMemory(100).error().code == ErrorCode::kInvalidArgument);
  CHECK(
      ScalableFilter::Create(
          {.first_capacity = 1000, .memory_limit_bytes = kLimit, .side_memory_limit_bytes = kLimit})
          .error()
          .code == ErrorCode::kOutOfMemory);
}

}  // namespace trommel
