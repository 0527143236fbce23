// The contract of window_filter.h at its edges. (Random programs: window_filter_invariants_test.cc;
// threads: window_filter_threads_test.cc.)
#include "trommel/window_filter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/exact_model.h"
#include "support/fetched_key.h"
#include "support/random_keys.h"
#include "support/window_slots.h"

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

TEST_CASE("any leap of time takes what has left the window and nothing else",
          "[engine][window][long]") {
  const uint64_t from = GENERATE(uint64_t{0}, uint64_t{5'000}, kEndOfTime - 1000);
  // 100 ticks in 8 buckets of 12 or 13.
  for (uint64_t leap = 0; leap <= 260; ++leap) {
    WindowFilter filter = SureWindow(100, 8);
    REQUIRE(filter.Advance(from));
    filter.Insert(uint64_t{1});
    REQUIRE(filter.Advance(from + 5));
    const uint64_t now = from + 5 + leap;
    filter.Insert(uint64_t{2});
    REQUIRE(filter.Advance(now));
    filter.Insert(uint64_t{3});
    INFO("a leap of " << leap << " from " << from);
    if (leap < 95) CHECK(filter.MayContain(uint64_t{1}));
    if (leap >= 108) CHECK_FALSE(filter.MayContain(uint64_t{1}));
    if (leap < 100) CHECK(filter.MayContain(uint64_t{2}));
    if (leap >= 113) CHECK_FALSE(filter.MayContain(uint64_t{2}));
    CHECK(filter.MayContain(uint64_t{3}));
    CHECK(filter.now() == now);
    REQUIRE(filter.Advance(kEndOfTime));  // the longest leap there is
    CHECK(filter.MayContain(uint64_t{3}) == (kEndOfTime - now < 100));
    CHECK(filter.num_keys() <= 3);
  }
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

TEST_CASE("erase wants the time of the insertion", "[engine][window]") {
  WindowFilter filter = SureWindow(40, 4);  // buckets of 10 ticks
  REQUIRE(filter.Advance(15));
  const uint64_t key = 7;
  const std::vector<uint64_t> keys = {key, 8, 9};
  filter.Insert(key);
  REQUIRE(filter.Advance(27));
  filter.Insert(key);
  using WindowOutcome = EraseOutcome;
  std::vector<uint64_t> erased(1, ~uint64_t{0});
  CHECK(filter.Erase(keys, 28, erased) ==
        WindowOutcome{0, 0, 3});  // to come, though in this bucket
  CHECK(erased[0] == 0);
  CHECK(filter.Erase(keys, kEndOfTime) == WindowOutcome{0, 0, 3});
  CHECK(filter.Erase(keys, 9) == WindowOutcome{0, 3, 0});  // a bucket that was passed over
  erased[0] = ~uint64_t{0};
  CHECK(filter.Erase(keys, 10, erased) ==
        WindowOutcome{1, 2, 0});  // any tick of the bucket will do
  CHECK(erased[0] == 1);
  CHECK(filter.MayContain(key));  // the later one
  CHECK(filter.Erase(keys, 19) == WindowOutcome{0, 3, 0});
  REQUIRE(filter.Advance(69));
  CHECK(filter.Erase(keys, 20) == WindowOutcome{1, 2, 0});  // its bucket lasts until 70
  filter.Insert(key);
  REQUIRE(filter.Advance(110));
  CHECK(filter.Erase(keys, 69) == WindowOutcome{0, 0, 3});
  CHECK_FALSE(filter.Erase(key, 69));
  CHECK_FALSE(filter.Erase(key, 100));
  filter.Insert(key);
  CHECK(filter.Erase(key, 110));
  const WindowStats stats = filter.GetStats();
  CHECK(stats.num_keys == 0);
  CHECK(stats.num_refused_erases == 3 + 2 + 3 + 2 + 1);
  CHECK(stats.num_expired_erases == 3 + 3 + 3 + 1);
}

TEST_CASE("the time an insertion returns is the one to erase with", "[engine][window]") {
  WindowFilter filter = SureWindow(100, 8);
  for (uint64_t now = 0; now < 300; now += 7) {
    REQUIRE(filter.Advance(now));
    const std::vector<uint64_t> keys = tests::MemberKeys(20, 1, now * 100);
    const uint64_t time = filter.Insert(keys);
    CHECK(time == now);
    CHECK(filter.Erase(keys, time).num_erased == keys.size());
  }
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("bitmaps and selections of another size end the program", "[engine][window][death]") {
  WindowFilter filter = SureWindow(100, 8);
  const std::vector<uint64_t> keys(65);
  std::vector<uint64_t> bitmap(1);
  std::vector<uint32_t> selection(64);
  const auto says = [&](const std::string& want, const std::function<void()>& body) {
    return tests::AbortMessage(body).find(want) != std::string::npos;
  };
  CHECK(says("bitmap of another size", [&] { filter.InsertIfAbsent(keys, bitmap); }));
  CHECK(says("bitmap of another size", [&] { filter.Erase(keys, 0, bitmap); }));
  CHECK(says("bitmap of another size", [&] { filter.Query(keys, bitmap); }));
  CHECK(
      says("selection of another size", [&] { filter.Select(keys, Answer::kAbsent, selection); }));
  CHECK(says("counts of another size", [&] { filter.CountEstimates(keys, bitmap); }));
}

TEST_CASE("a key is fetched ahead from a window", "[engine][prefetch]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter =
      WindowFilter::Create({.window = 8, .num_buckets = 4, .capacity = 1000, .target_fpr = rate})
          .value();
  filter.Advance(20);
  tests::CheckFetchedKey(filter, [&](Key key) { return filter.Erase(key, 20); });
}

}  // namespace
}  // namespace trommel
