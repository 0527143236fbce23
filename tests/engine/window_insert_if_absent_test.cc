// InsertIfAbsent of a ring window: once in the window, whichever bucket has it.
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

WindowFilter SureFilter() {
  return std::move(WindowFilter::Create({.window = 40,
                                         .num_buckets = 4,
                                         .capacity = 50'000,
                                         .target_fpr = 5e-6,
                                         .form = WindowForm::kBucketRing}))
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
  std::vector<uint64_t> inserted(BitmapWords(keys.size()), ~uint64_t{0});
  std::vector<uint64_t> times(WindowFilter::NumChunks(keys.size()));
  const size_t num_new = filter.InsertIfAbsent(keys, inserted, times);
  CHECK(times == std::vector<uint64_t>(times.size(), 25));
  CHECK(num_new == num_distinct - old_keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    REQUIRE(tests::BitAt(inserted, i) == (i >= old_keys.size() && i < num_distinct));
  }
  if (keys.size() % 64 != 0) CHECK(inserted.back() >> (keys.size() % 64) == 0);
  CHECK(filter.num_keys() == num_distinct);
  CHECK(filter.InsertIfAbsent(keys, inserted) == 0);
  // What was new is in the current bucket, the rest in its own.
  CHECK(filter.Erase(old_keys, 25).num_refused == old_keys.size());
  CHECK(filter.Erase(old_keys, 5).num_erased == old_keys.size());
  const auto new_keys = std::span(keys).first(num_distinct).subspan(old_keys.size());
  CHECK(filter.Erase(new_keys, 25).num_erased == new_keys.size());
  CHECK(filter.num_keys() == 0);
}

// A batch of many chunks during which the clock moves on.
struct LongBatch {
  static constexpr size_t kFillers = 300'000;

  // The keys come after the fillers: in the last chunks.
  explicit LongBatch(const std::vector<uint64_t>& last_keys)
      : keys(tests::MemberKeys(kFillers, 8)) {
    keys.insert(keys.end(), last_keys.begin(), last_keys.end());
    inserted.resize(BitmapWords(keys.size()));
  }

  // Begins when the time is what it is, and advances it after the first chunk.
  void InsertWhileTimeGoesTo(WindowFilter& filter, uint64_t now) {
    const uint64_t num_keys = filter.num_keys();
    times.resize(WindowFilter::NumChunks(keys.size()));
    std::thread caller([&] { filter.InsertIfAbsent(keys, inserted, times); });
    while (filter.num_keys() == num_keys) std::this_thread::yield();
    filter.Advance(now);
    caller.join();
  }

  bool IsNew(size_t last_key_idx) const { return tests::BitAt(inserted, kFillers + last_key_idx); }

  std::vector<uint64_t> keys;
  std::vector<uint64_t> inserted;
  std::vector<uint64_t> times;
};

WindowFilter LargeSureFilter() {
  return std::move(WindowFilter::Create({.window = 40,
                                         .num_buckets = 4,
                                         .capacity = 2'000'000,
                                         .target_fpr = 5e-6,
                                         .form = WindowForm::kBucketRing}))
      .value();
}

TEST_CASE("a key of the window is not new to a long batch during which its bucket goes",
          "[engine][window][threads]") {
  WindowFilter filter = LargeSureFilter();
  const std::vector<uint64_t> old_keys = tests::MemberKeys(5000, 9);
  REQUIRE(filter.Advance(9));
  filter.Insert(old_keys);
  REQUIRE(filter.Advance(48));
  LongBatch batch(old_keys);
  batch.InsertWhileTimeGoesTo(filter, 50);
  REQUIRE(batch.times.back() == 48);  // 39 after the old keys: they are in the window
  size_t num_new = 0;
  for (size_t i = 0; i < old_keys.size(); ++i) num_new += batch.IsNew(i) ? 1 : 0;
  CHECK(num_new == 0);
  CHECK(filter.now() == 50);
}

TEST_CASE("of duplicates in a long batch the first is new though the window leaps away from it",
          "[engine][window][threads]") {
  WindowFilter filter = LargeSureFilter();
  REQUIRE(filter.Advance(5));
  const std::vector<uint64_t> once = tests::MemberKeys(5000, 9);
  std::vector<uint64_t> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  LongBatch batch(twice);
  batch.InsertWhileTimeGoesTo(filter, 1000);
  REQUIRE(batch.times.back() == 5);
  size_t num_first = 0;
  size_t num_second = 0;
  for (size_t i = 0; i < once.size(); ++i) {
    num_first += batch.IsNew(i) ? 1 : 0;
    num_second += batch.IsNew(once.size() + i) ? 1 : 0;
  }
  CHECK(num_first > once.size() - 100);
  CHECK(num_second == 0);
  // What was inserted at 5 has gone.
  CHECK(filter.num_keys() == 0);
  CHECK(filter.InsertIfAbsent(once[0]));
}

TEST_CASE("of a long batch and a later call with one key one is told that it is new",
          "[engine][window][threads]") {
  WindowFilter filter = LargeSureFilter();
  REQUIRE(filter.Advance(5));
  const std::vector<uint64_t> raced = tests::MemberKeys(5000, 9);
  LongBatch batch(raced);
  std::vector<uint64_t> later(BitmapWords(raced.size()));
  std::vector<uint64_t> later_times(WindowFilter::NumChunks(raced.size()));
  std::thread other([&] {
    while (filter.now() != 15) std::this_thread::yield();  // Advance may not have returned yet
    filter.InsertIfAbsent(raced, later, later_times);
  });
  batch.InsertWhileTimeGoesTo(filter, 15);
  other.join();
  REQUIRE(batch.times.back() == 5);
  REQUIRE(later_times == std::vector<uint64_t>(later_times.size(), 15));
  size_t num_both = 0;
  size_t num_neither = 0;
  for (size_t i = 0; i < raced.size(); ++i) {
    num_both += batch.IsNew(i) && tests::BitAt(later, i) ? 1 : 0;
    num_neither += !batch.IsNew(i) && !tests::BitAt(later, i) ? 1 : 0;
  }
  CHECK(num_both == 0);
  CHECK(num_neither < 100);  // covered by other keys
}

}  // namespace
}  // namespace trommel
