// What a window filter holds: the rate for any pattern of arrival, late events, erasures that take
// one copy of one bucket, and what a filter that is not erasable does instead.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/statistics.h"
#include "support/window_slots.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

WindowFilter WindowOf(const WindowConfig& config) {
  return std::move(WindowFilter::Create(config)).value();
}

// A filter that is full by the end: `patterns` 0: even arrival; 1: all keys within one bucket's
// time; 2: half in one, the others over the rest.
WindowFilter FullWindow(WindowConfig config, int pattern, uint64_t seed) {
  WindowFilter filter = WindowOf(config);
  const uint64_t num_spans = config.num_buckets + 1;
  uint64_t num_inserted = 0;
  const auto insert = [&](uint64_t num_keys) {
    num_keys = std::min(num_keys, config.capacity - num_inserted % config.capacity);
    filter.Insert(tests::MemberKeys(num_keys, seed, num_inserted));
    num_inserted += num_keys;
  };
  // Three windows: blocks and lines have seen others come and go.
  for (uint64_t bucket = 0; bucket < 3 * num_spans; ++bucket) {
    filter.Advance(bucket);
    const uint64_t in_turn = bucket % num_spans;
    if (pattern == 0) insert(config.capacity / num_spans);
    if (pattern == 1 && in_turn == num_spans / 2) insert(config.capacity);
    if (pattern == 2) insert(in_turn == 1 ? config.capacity / 2 : config.capacity / 2 / num_spans);
  }
  return filter;
}

TEST_CASE("the rate is the model's whatever the pattern of arrival", "[engine][window][long]") {
  const int pattern = GENERATE(0, 1, 2);
  const bool is_erasable = GENERATE(true, false);
  const auto [num_buckets, target_fpr] = GENERATE(std::pair{8U, 0.01}, std::pair{12U, 0.007},
                                                  std::pair{30U, 0.01}, std::pair{8U, 0.0004});
  const uint64_t seed = Catch::rngSeed();
  const WindowFilter filter = FullWindow({.window = num_buckets,
                                          .num_buckets = num_buckets,
                                          .capacity = 100'000,
                                          .target_fpr = target_fpr,
                                          .is_erasable = is_erasable},
                                         pattern, seed);
  const WindowStats stats = filter.GetStats();
  const BlockFill fill = filter.MeasureFill();
  INFO("pattern " << pattern << ", slots of " << tests::SlotBitsOf(filter) << " bits");
  CHECK(stats.num_keys <= filter.capacity());
  CHECK(stats.num_keys > filter.capacity() * 3 / 4);
  CHECK(stats.num_excess_keys == 0);
  CHECK(stats.predicted_fpr <= target_fpr);
  CHECK(stats.predicted_fpr + stats.slots.undecided_share <= target_fpr);
  // The filter's fingerprints are as many as the model says: each key is one, or a second one of a
  // block with chance stats.predicted_fpr.
  CHECK(fill.current_fpr <= stats.predicted_fpr * 1.02);
  CHECK(fill.current_fpr >= stats.predicted_fpr * 0.98);

  constexpr uint64_t kNonMembers = 400'000;
  std::vector<uint64_t> answers(BitmapWords(kNonMembers));
  const uint64_t num_hits = filter.Query(tests::NonMemberKeys(kNonMembers, seed), answers);
  const double rate = fill.current_fpr + stats.slots.undecided_share * (1 - fill.current_fpr);
  CHECK(tests::BinomialBound(rate, kNonMembers).ContainsHits(num_hits));
}

TEST_CASE("a late event is in for the window from its own time", "[engine][window]") {
  const bool is_erasable = GENERATE(true, false);
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter = WindowOf({.window = 80,
                                  .num_buckets = 8,
                                  .capacity = 10'000,
                                  .target_fpr = rate,
                                  .is_erasable = is_erasable});
  REQUIRE(filter.Advance(200));
  const std::vector<uint64_t> late = tests::MemberKeys(1000, 1);
  CHECK(filter.Insert(late, 135) == WindowInsertOutcome{1000, 0});
  CHECK(filter.Insert(late, 119) == WindowInsertOutcome{0, 1000});  // expired at 200
  CHECK(filter.Insert(late, 201) == WindowInsertOutcome{0, 1000});  // in the future
  CHECK(filter.Insert(uint64_t{5}, 200));
  CHECK_FALSE(filter.Insert(uint64_t{5}, 50));
  CHECK(filter.GetStats().num_refused_inserts == 2001);
  CHECK(filter.num_keys() == 1001);
  std::vector<uint64_t> answers(BitmapWords(late.size()));
  REQUIRE(filter.Advance(214));
  CHECK(filter.Query(late, answers) == late.size());
  // It expires with its bucket, 130 to 139, and not with that in which it came.
  REQUIRE(filter.Advance(220));
  CHECK(filter.Query(late, answers) < late.size() / 10);
  CHECK(filter.num_keys() == 1);
}

TEST_CASE("a late event never takes a key back to an earlier bucket", "[engine][window]") {
  const bool is_erasable = GENERATE(true, false);
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter = WindowOf({.window = 80,
                                  .num_buckets = 8,
                                  .capacity = 10'000,
                                  .target_fpr = rate,
                                  .is_erasable = is_erasable});
  REQUIRE(filter.Advance(200));
  const std::vector<uint64_t> keys = tests::MemberKeys(1000, 1);
  filter.Insert(keys);
  CHECK(filter.Insert(keys, 140).num_inserted == keys.size());
  REQUIRE(filter.Advance(279));
  std::vector<uint64_t> answers(BitmapWords(keys.size()));
  CHECK(filter.Query(keys, answers) == keys.size());
}

TEST_CASE("an erasure takes one copy of its bucket, and the next older one is shown",
          "[engine][window]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter =
      WindowOf({.window = 80, .num_buckets = 8, .capacity = 1000, .target_fpr = rate});
  const uint64_t key = 77;
  const std::vector<uint64_t> times = {105, 115, 115, 145, 165};
  for (const uint64_t time : times) {
    REQUIRE(filter.Advance(time));
    filter.Insert(key);
  }
  CHECK(filter.CountEstimate(key) == 5);
  CHECK(filter.Erase(key, 165));
  CHECK_FALSE(filter.Erase(key, 165));
  CHECK(filter.CountEstimate(key) == 4);
  CHECK(filter.Erase(key, 145));
  CHECK(filter.Erase(key, 105));
  CHECK(filter.MayContain(key));
  CHECK(filter.CountEstimate(key) == 2);
  REQUIRE(filter.Advance(194));  // 115 is in the window until 194
  CHECK(filter.MayContain(key));
  CHECK(filter.Erase(key, 115));
  CHECK(filter.MayContain(key));
  CHECK(filter.Erase(key, 112));
  CHECK_FALSE(filter.MayContain(key));
  CHECK(filter.num_keys() == 0);
  CHECK(filter.GetStats().slots.side_table_bytes == 0);
}

TEST_CASE("of two keys with one fingerprint each can be erased without the other",
          "[engine][window]") {
  WindowFilter filter = WindowOf({.window = 8, .num_buckets = 8, .capacity = 1000});
  // The last bit chooses neither the block nor the fingerprint.
  const Key a = Key::Digest(0x1234567890abcdee);
  const Key b = Key::Digest(0x1234567890abcdef);
  REQUIRE(filter.Advance(20));
  filter.Insert(a);
  REQUIRE(filter.Advance(23));
  filter.Insert(b);
  CHECK(filter.Erase(b, 23));
  CHECK(filter.MayContain(a));
  REQUIRE(filter.Advance(27));
  CHECK(filter.MayContain(a));
  REQUIRE(filter.Advance(29));
  CHECK_FALSE(filter.MayContain(a));  // with its own bucket, not with b's
}

TEST_CASE("a window that is not erasable refuses each erasure and counts a key once",
          "[engine][window]") {
  WindowFilter filter =
      WindowOf({.window = 80, .num_buckets = 8, .capacity = 10'000, .is_erasable = false});
  const std::vector<uint64_t> keys = tests::MemberKeys(3000, 4);
  REQUIRE(filter.Advance(100));
  filter.Insert(keys);
  filter.Insert(keys);
  std::vector<uint64_t> erased(BitmapWords(keys.size()), ~uint64_t{0});
  CHECK(filter.Erase(keys, 100, erased) == EraseOutcome{0, keys.size(), 0});
  CHECK(std::ranges::count(erased, 0) == static_cast<std::ptrdiff_t>(erased.size()));
  CHECK(filter.Erase(keys, 500) == EraseOutcome{0, keys.size(), 0});
  CHECK_FALSE(filter.Erase(keys[0], 100));
  CHECK(filter.GetStats().num_refused_erases == 2 * keys.size() + 1);
  std::vector<uint64_t> counts(keys.size());
  filter.CountEstimates(keys, counts);
  CHECK(std::ranges::count(counts, 1) == static_cast<std::ptrdiff_t>(keys.size()));
  // Each insertion refreshes, and needs no memory.
  const uint64_t num_bytes = filter.GetStats().num_bytes;
  for (uint64_t now = 110; now < 1000; now += 10) {
    REQUIRE(filter.Advance(now));
    filter.Insert(keys);
    CHECK(filter.GetStats().num_bytes == num_bytes);
  }
}

TEST_CASE("side memory of copies goes with their buckets", "[engine][window][long]") {
  WindowFilter filter = WindowOf({.window = 80, .num_buckets = 8, .capacity = 20'000});
  const std::vector<uint64_t> keys = tests::MemberKeys(10'000, 4);
  uint64_t most = 0;
  for (uint64_t now = 0; now < 1600; now += 10) {
    filter.Advance(now);
    filter.Insert(keys);
    most = std::max(most, filter.GetStats().slots.side_table_bytes);
  }
  // Nine live copies of each key, of 24 bytes, in lists that may have twice the space.
  CHECK(most < keys.size() * 9 * 24 * 3);
  // No key comes any more: the clock alone sweeps.
  for (uint64_t now = 1600; now < 1600 + 1100 * 80; now += 80) filter.Advance(now);
  CHECK(filter.num_keys() == 0);
  CHECK(filter.GetStats().slots.side_table_bytes == 0);
}

}  // namespace
}  // namespace trommel
