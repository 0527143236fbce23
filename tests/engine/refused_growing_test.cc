// Stores that grow for which the system refuses memory, at any allocation of their steps, or whose
// limit of side memory leaves none: what is refused was not done, and no erasure needs memory.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
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
  inserted.num_refused += store.Apply(Update::kInsert, digests.data(), {0, digests.size()}, nullptr,
                                      inserted.refused.data());
}

// So many keys in random order, some of them hot.
Digests ManyKeys(size_t num_keys, uint64_t seed) {
  std::mt19937_64 random(seed);
  Digests digests(num_keys);
  for (uint64_t& digest : digests) digest = random();
  for (size_t i = 0; i < 200; ++i) digests.insert(digests.end(), 1 + i % 9, digests[i]);
  std::ranges::shuffle(digests, random);
  return digests;
}
// Of four shards, so that they get several sizes.
Digests KeysOfFourShards(size_t num_keys, uint64_t seed) {
  Digests digests = ManyKeys(num_keys, seed);
  for (uint64_t& digest : digests) digest >>= 4;
  return digests;
}

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
  store.Apply(Update::kErase, in.data(), {0, in.size()}, bits.data(), nullptr);
  uint64_t num_erased = 0;
  for (const uint64_t word : bits) num_erased += static_cast<uint64_t>(std::popcount(word));
  CHECK(num_erased == in.size());
  const GrowingFigures figures = store.Figures();
  CHECK(figures.num_entries == 0);
  CHECK(figures.num_marked == 0);
  CHECK(figures.undecided_bins == 0);
}

}  // namespace

TEST_CASE("a step that finds no memory is not done, and loses nothing",
          "[engine][growing][refused_memory]") {
  if (!AllocationPeak::IsCounted()) return;
  const Digests digests = KeysOfFourShards(20'000, Catch::rngSeed());
  uint64_t num_refused_steps = 0;
  bool was_refused = true;
  // One by one a shard at a time: what its blocks cannot keep alone may not be refused.
  for (uint64_t n = 1; was_refused; n += 1 + n / 8) {
    CAPTURE(n);
    const auto store = GrowingStore::Create({}).value();
    Inserted inserted(digests.size());
    size_t num_in = 0;
    was_refused = WasRefusedAt(n, [&] {
      for (; num_in < 4'000; ++num_in) {
        if (store->InsertOne(digests[num_in])) continue;  // nor is there a first digest table
        inserted.refused[num_in / 64] |= uint64_t{1} << num_in % 64;
        inserted.num_refused += 1;
      }
    });
    CHECK(inserted.num_refused <= 1);
    num_refused_steps += store->Figures().num_refused_growths;
    for (; num_in < digests.size(); ++num_in) REQUIRE(store->InsertOne(digests[num_in]));
    CheckContents(*store, digests, inserted);
  }
  CHECK(num_refused_steps > 0);
}

TEST_CASE("a step down that finds no memory is not done, and loses nothing",
          "[engine][growing][refused_memory]") {
  if (!AllocationPeak::IsCounted()) return;
  const Digests digests = KeysOfFourShards(30'000, Catch::rngSeed());
  const size_t num_left = digests.size() / 10 / 64 * 64;
  uint64_t least_blocks = ~uint64_t{0};
  uint64_t most_blocks = 0;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; n += 1 + n / 8) {
    CAPTURE(n);
    const auto store = GrowingStore::Create({}).value();
    Inserted inserted(digests.size());
    InsertInto(*store, digests, inserted);
    REQUIRE(inserted.num_refused == 0);
    std::vector<uint64_t> bits(BitmapWords(digests.size()));
    was_refused = WasRefusedAt(n, [&] {
      store->Apply(Update::kErase, digests.data(), {num_left, digests.size()}, bits.data(),
                   nullptr);
    });
    least_blocks = std::min(least_blocks, store->Figures().num_blocks);
    most_blocks = std::max(most_blocks, store->Figures().num_blocks);
    CheckContents(*store, Digests(digests.begin(), digests.begin() + num_left), Inserted(num_left));
  }
  CHECK(most_blocks > least_blocks);  // some steps down were not done
}

TEST_CASE("new segments of a store have its limit of side memory",
          "[engine][growing][side_limit]") {
  const auto store = GrowingStore::Create({.value_bits = 25}).value();
  constexpr uint64_t kLimit = 64 * 4'000;
  REQUIRE(store->LimitSideMemory(kLimit).ok());
  // Hot keys, as many as digests are counted of, and then others: the shards grow several times.
  std::mt19937_64 random(Catch::rngSeed());
  Digests hot;
  for (uint64_t i = 0; i < 64 * 20; ++i) hot.insert(hot.end(), 3, random() >> 6 | i % 64 << 58);
  Inserted hot_inserted(hot.size());
  InsertInto(*store, hot, hot_inserted);
  CHECK(hot_inserted.num_refused == 0);
  Digests more(64 * 8'000);
  for (uint64_t& digest : more) digest = random();
  Inserted inserted(more.size());
  for (size_t i = 0; i < more.size(); i += 64 * 500) {
    inserted.num_refused += store->Apply(Update::kInsert, more.data(), {i, i + 64 * 500}, nullptr,
                                         inserted.refused.data());
    const GrowingFigures figures = store->Figures();
    REQUIRE(figures.side_table_bytes <= kLimit);
    if (figures.num_digest_shards == 0) REQUIRE(figures.side_table_bytes >= kLimit / 8);
  }
  CHECK(store->Figures().num_digest_shards == 0);
  CHECK(store->Figures().num_refused_growths == 0);
  CHECK(inserted.num_refused < more.size() / 500);
  for (size_t i = 0; i < more.size(); ++i) {
    if (!inserted.IsRefused(i)) REQUIRE(store->EraseOne(more[i]));
  }
  CheckContents(*store, hot, hot_inserted);
}

TEST_CASE("a doubling filter with a limit of side memory says which keys it refused",
          "[engine][scalable][side_limit]") {
  constexpr uint64_t kLimit = 64 * 64 * 8;
  ScalableFilter filter = ScalableFilter::Create({.first_capacity = 1000,
                                                  .digest = {.kind = DigestKind::kCaller},
                                                  .side_memory_limit_bytes = kLimit})
                              .value();
  // Each hot key takes an entry: 4 per part are in.
  std::mt19937_64 random(Catch::rngSeed());
  Digests hot;
  for (uint64_t i = 0; i < 64 * 40; ++i) hot.insert(hot.end(), 2, random() >> 6 | i % 64 << 58);
  std::vector<uint64_t> bits(BitmapWords(hot.size()));
  const InsertOutcome outcome = filter.Insert(Keys::Digests(hot), bits);
  CHECK(outcome.refusal == GrowthRefusal::kSideMemoryLimit);
  CHECK(outcome.num_refused == 64 * 36);
  CHECK(outcome.num_inserted == hot.size() - outcome.num_refused);
  CHECK(filter.GetStats().side_table_bytes == kLimit / 2);  // of digests
  CHECK_FALSE(filter.Insert(Key::Digest(hot.back())));
  filter.Clear();
  CHECK(filter.Insert(Keys::Digests(hot)).num_refused == outcome.num_refused);
  const ScalableConfig config{
      .first_capacity = 1000, .memory_limit_bytes = kLimit, .side_memory_limit_bytes = kLimit};
  CHECK(ScalableFilter::Create(config).error().code == ErrorCode::kOutOfMemory);
}

}  // namespace trommel
