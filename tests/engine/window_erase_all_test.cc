// EraseAll of windows, whose keys expire. What every type promises of it:
// tests/promises/erased_as_whole_test.cc.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/catch.h"
#include "support/window_slots.h"
#include "trommel/window_filter.h"

namespace trommel::tests {
namespace {

using DigestList = std::vector<uint64_t>;
using SavedBytes = std::vector<std::byte>;

const DigestPolicy kOwnDigests = {.kind = DigestKind::kCaller};

constexpr uint64_t kWindowNow = 1000;

WindowFilter WindowOfAnySlots(uint64_t capacity) {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter = WindowFilter::Create({.window = 400,
                                              .num_buckets = 4,
                                              .capacity = capacity,
                                              .target_fpr = rate,
                                              .digest = kOwnDigests})
                            .value();
  REQUIRE(filter.Advance(kWindowNow));
  return filter;
}

TEST_CASE("keys of a window that have expired are counted, and keep nothing from being erased",
          "[engine][erase_all][window]") {
  WindowFilter filter = WindowOfAnySlots(1000);
  const DigestList keys = {11, 12, 13, 14};
  filter.Insert(Keys::Digests(keys), kWindowNow);
  const SavedBytes before = filter.Serialize();
  std::vector<uint64_t> missing(1);
  // 11 is in; 12 is of a time that has gone, 13 of one that is to come, 14 of another bucket.
  const DigestList times = {kWindowNow, 100, kWindowNow + 1, kWindowNow - 150};
  CHECK(filter.EraseAll(Keys::Digests(keys), times, missing).value() ==
        EraseOutcome{.num_erased = 0, .num_refused = 1, .num_expired = 2});
  CHECK(missing == std::vector<uint64_t>{0b1000});
  CHECK((filter.Serialize() == before));
  CHECK(filter.EraseAll(Keys::Digests(keys).Subspan(0, 3), std::span(times).first(3)).value() ==
        EraseOutcome{.num_erased = 1, .num_refused = 0, .num_expired = 2});
  // One time for all.
  CHECK(filter.EraseAll(Keys::Digests(keys).Subspan(1, 3), std::span(times).first(1)).value() ==
        EraseOutcome{.num_erased = 3});
  CHECK(filter.num_keys() == 0);
  const WindowStats stats = filter.GetStats();
  CHECK(stats.num_refused_erases == 1);
  CHECK(stats.num_expired_erases == 4);
}

TEST_CASE("a window that is not erasable refuses all keys of a batch",
          "[engine][erase_all][window]") {
  WindowFilter filter =
      WindowFilter::Create(
          {.window = 400, .capacity = 1000, .digest = kOwnDigests, .is_erasable = false})
          .value();
  const DigestList keys = {11, 12};
  filter.Insert(Keys::Digests(keys));
  const uint64_t time = 0;
  std::vector<uint64_t> missing(1);
  CHECK(filter.EraseAll(Keys::Digests(keys), std::span(&time, 1), missing).value() ==
        EraseOutcome{.num_refused = 2});
  CHECK(missing == std::vector<uint64_t>{0b11});
  CHECK(filter.EraseAll(Keys::Digests(keys), std::span(&time, 1)).value() ==
        EraseOutcome{.num_refused = 2});  // no one asks which
  CHECK(filter.GetStats().num_refused_erases == 4);
  CHECK(filter.num_keys() == 2);
}

}  // namespace
}  // namespace trommel::tests
