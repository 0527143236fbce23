// InsertIfAbsent of a window filter: once in the window, whichever bucket has it.
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

WindowFilter SureFilter() {
  return std::move(WindowFilter::Create(
                       {.window = 40, .num_buckets = 4, .capacity = 50'000, .target_fpr = 5e-6}))
      .value();
}

TEST_CASE("a key is new once, and again when its bucket has gone", "[engine][window]") {
  WindowFilter filter = SureFilter();
  uint64_t time = 99;
  REQUIRE(filter.Advance(3));
  CHECK(filter.InsertIfAbsent(uint64_t{1}, &time));
  CHECK(time == 3);
  for (uint64_t now = 3; now < 50; ++now) {
    REQUIRE(filter.Advance(now));
    CHECK_FALSE(filter.InsertIfAbsent(uint64_t{1}, &time));
    CHECK(time == now);
  }
  // To be left alone is not to be refreshed.
  REQUIRE(filter.Advance(50));
  CHECK(filter.InsertIfAbsent(uint64_t{1}, &time));
  CHECK(filter.Erase(uint64_t{1}, time));
  CHECK_FALSE(filter.Erase(uint64_t{1}, time));
  // Insert refreshes.
  filter.Insert(uint64_t{2});
  REQUIRE(filter.Advance(85));
  filter.Insert(uint64_t{2});
  REQUIRE(filter.Advance(124));
  CHECK_FALSE(filter.InsertIfAbsent(uint64_t{2}));
}

TEST_CASE("of duplicates in a batch the first is new, in batches of any size", "[engine][window]") {
  WindowFilter filter = SureFilter();
  const size_t num_distinct = GENERATE(size_t{1}, 30, 64, 65, 1000, 5000);
  const std::vector<uint64_t> old_keys = tests::MemberKeys(num_distinct / 2, 1);
  REQUIRE(filter.Advance(5));
  filter.Insert(old_keys);
  REQUIRE(filter.Advance(25));
  std::vector<uint64_t> keys = tests::MemberKeys(num_distinct, 1);
  keys.insert(keys.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(num_distinct));
  std::vector<uint64_t> inserted(CountingFilter::BitmapWords(keys.size()), ~uint64_t{0});
  uint64_t time = 0;
  const size_t num_new = filter.InsertIfAbsent(keys, inserted, &time);
  CHECK(time == 25);
  CHECK(num_new == num_distinct - old_keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    REQUIRE(tests::BitAt(inserted, i) == (i >= old_keys.size() && i < num_distinct));
  }
  if (keys.size() % 64 != 0) CHECK(inserted.back() >> (keys.size() % 64) == 0);
  CHECK(filter.num_keys() == num_distinct);
  CHECK(filter.InsertIfAbsent(keys, inserted) == 0);
  // What was new is in the present bucket, the rest in its own.
  CHECK(filter.Erase(old_keys, 25).num_refused == old_keys.size());
  CHECK(filter.Erase(old_keys, 5).num_erased == old_keys.size());
  const auto new_keys = std::span(keys).first(num_distinct).subspan(old_keys.size());
  CHECK(filter.Erase(new_keys, 25).num_erased == new_keys.size());
  CHECK(filter.num_keys() == 0);
}

}  // namespace
}  // namespace trommel
