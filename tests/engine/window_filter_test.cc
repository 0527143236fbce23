// The contract of window_filter.h at its edges. (Random programs: window_filter_invariants_test.cc;
// threads: window_filter_threads_test.cc.)
#include "trommel/window_filter.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "support/catch.h"

namespace trommel {
namespace {

constexpr uint64_t kEndOfTime = std::numeric_limits<uint64_t>::max();

// So low a rate that no answer of these tests is a false positive but with a chance of 1e-3 in all.
WindowFilter SureWindow(uint64_t window, uint32_t num_buckets) {
  return WindowFilter::Create(
             {.window = window, .num_buckets = num_buckets, .capacity = 3000, .target_fpr = 7e-5})
      .value();
}

TEST_CASE("a key is there for the window to the tick, and gone a bucket later",
          "[engine][window]") {
  const auto [window, num_buckets] =
      GENERATE(std::pair{1U, 1U}, std::pair{2U, 2U}, std::pair{12U, 4U}, std::pair{11U, 4U},
               std::pair{13U, 1U}, std::pair{64U, 64U}, std::pair{10U, 3U});
  const uint64_t from = GENERATE(uint64_t{0}, uint64_t{1'000'000'007}, kEndOfTime - 400);
  WindowFilter filter = SureWindow(window, num_buckets);
  const uint64_t width = filter.bucket_ticks();
  // A key at each tick of a while; at every tick, all keys so far are looked at.
  const uint64_t num_ticks = 2 * window + 3 * width;
  uint64_t num_early = 0;
  uint64_t num_late = 0;
  for (uint64_t now = from; now < from + num_ticks; ++now) {
    REQUIRE(filter.Advance(now));
    REQUIRE(filter.Insert(now) == now);
    for (uint64_t t = from; t <= now; ++t) {
      const bool is_there = filter.MayContain(t);
      if (now - t < window && !is_there) ++num_early;
      if (now - t >= window + width && is_there) ++num_late;
    }
  }
  CHECK(num_early == 0);
  CHECK(num_late == 0);
}

TEST_CASE("time does not go back", "[engine][window]") {
  WindowFilter filter = SureWindow(80, 8);
  CHECK(filter.now() == 0);
  CHECK(filter.Advance(0));
  CHECK(filter.Advance(55));
  filter.Insert(uint64_t{1});
  CHECK_FALSE(filter.Advance(54));
  CHECK_FALSE(filter.Advance(0));
  CHECK(filter.now() == 55);
  CHECK(filter.MayContain(uint64_t{1}));
  CHECK(filter.Advance(55));
  CHECK(filter.Advance(kEndOfTime));
  CHECK_FALSE(filter.Advance(kEndOfTime - 1));
  CHECK(filter.Advance(kEndOfTime));
  filter.Insert(uint64_t{2});
  CHECK(filter.MayContain(uint64_t{2}));
}

}  // namespace
}  // namespace trommel
