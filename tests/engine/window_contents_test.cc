// What a window filter holds: the rate for any pattern of arrival, and the memory of copies. (Late
// events, erasures: window_filter_invariants_test.cc.)
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.h"
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

TEST_CASE("insertions into a window that is not erasable refresh, and need no memory",
          "[engine][window]") {
  WindowFilter filter =
      WindowOf({.window = 80, .num_buckets = 8, .capacity = 10'000, .is_erasable = false});
  const std::vector<uint64_t> keys = tests::MemberKeys(3000, 4);
  filter.Insert(keys);
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
