// Keys with times: runs of one bucket, of any window, as one by one.
#include "tools/trommel/filters/window_keys.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"

namespace trommel::tool {
namespace {

WindowFilter MakeFilter(uint64_t window, uint32_t num_buckets) {
  return std::move(WindowFilter::Create({.window = window,
                                         .num_buckets = num_buckets,
                                         .capacity = 20000,
                                         .target_fpr = 0.001,
                                         .digest = {.kind = DigestKind::kCaller}}))
      .value();
}

// Mostly rising, with repeats, leaps and late ones.
std::vector<uint64_t> SomeTimes(size_t count, uint64_t step, std::mt19937_64& random) {
  std::vector<uint64_t> times(count);
  uint64_t now = step * 20;
  for (uint64_t& time : times) {
    now += random() % 4 == 0 ? random() % step : 0;
    time = random() % 8 == 0 ? now - random() % (step * 10) : now;
  }
  return times;
}

std::vector<uint64_t> SomeKeys(size_t count, uint64_t num_distinct, std::mt19937_64& random) {
  std::vector<uint64_t> digests(count);
  for (uint64_t& digest : digests) digest = (random() % num_distinct + 1) * 0x9e3779b97f4a7c15;
  return digests;
}

TEST_CASE("a batch with times does what its keys one by one do", "[tools][window_keys]") {
  std::mt19937_64 random(Catch::rngSeed());
  const auto [window, num_buckets] =
      GENERATE(std::pair{uint64_t{1000}, 8U}, std::pair{uint64_t{1003}, 7U},
               std::pair{uint64_t{9}, 8U}, std::pair{uint64_t{64}, 64U},
               std::pair{uint64_t{1} << 60, 3U}, std::pair{uint64_t{600'000}, 1U});
  CAPTURE(window, num_buckets);
  const uint64_t step = std::max<uint64_t>(2, window / 100);
  const std::vector<uint64_t> times = SomeTimes(2000, step, random);
  const std::vector<uint64_t> digests = SomeKeys(2000, 500, random);
  WindowFilter batch = MakeFilter(window, num_buckets);
  WindowFilter single = MakeFilter(window, num_buckets);
  WindowRate batch_rate(batch);
  WindowRate single_rate(single);

  SECTION("inserting") {
    Applied one_by_one;
    for (size_t i = 0; i < times.size(); ++i) {
      one_by_one += InsertAtTimes(single, std::span(digests).subspan(i, 1),
                                  std::span(times).subspan(i, 1), single_rate);
    }
    const Applied applied = InsertAtTimes(batch, digests, times, batch_rate);
    CHECK(applied.num_done + applied.num_expired == 2000);
    CHECK(applied.num_done == one_by_one.num_done);
    CHECK(applied.num_expired == one_by_one.num_expired);
    CHECK(applied.num_late == one_by_one.num_late);
    REQUIRE(batch.now() == *std::ranges::max_element(times));
    CHECK((batch.Serialize() == single.Serialize()));
    CHECK(batch_rate.highest_fpr() == single_rate.highest_fpr());

    Applied erased;
    for (size_t i = 0; i < times.size(); ++i) {
      const WindowEraseOutcome outcome =
          single.Erase(Keys::Digests(std::span(digests).subspan(i, 1)), times[i]);
      erased += {.num_done = outcome.num_erased,
                 .num_refused = outcome.num_refused,
                 .num_expired = outcome.num_expired};
    }
    const Applied at_once = EraseAtTimes(batch, digests, times);
    CHECK(at_once.num_done == erased.num_done);
    CHECK(at_once.num_refused == erased.num_refused);
    CHECK(at_once.num_expired == erased.num_expired);
    CHECK((batch.Serialize() == single.Serialize()));
  }
  SECTION("inserting what is absent") {
    std::vector<uint64_t> bitmap(BitmapWords(2000), ~uint64_t{0});
    const Applied applied = InsertIfAbsentAtTimes(batch, digests, times, bitmap, batch_rate);
    uint64_t num_inserted = 0;
    for (size_t i = 0; i < times.size(); ++i) {
      single.Advance(std::max(single.now(), times[i]));
      const bool is_new = single.InsertIfAbsent(Key::Digest(digests[i]));
      num_inserted += is_new ? 1 : 0;
      REQUIRE((bitmap[i / 64] >> (i % 64) & 1) == (is_new ? 1 : 0));
    }
    CHECK(applied.num_done == num_inserted);
    CHECK(bitmap.back() >> (2000 % 64) == 0);
    CHECK((batch.Serialize() == single.Serialize()));
  }
}

TEST_CASE("a key that is late enters its own bucket", "[tools][window_keys]") {
  WindowFilter filter = MakeFilter(100, 4);
  const std::vector<uint64_t> digests = {1, 2, 3, 4, 5};
  // The bucket of 50 .. 74: 49 is late, 50 is not.
  const std::vector<uint64_t> times = {24, 60, 49, 50, 74};
  WindowRate rate(filter);
  const Applied applied = InsertAtTimes(filter, digests, times, rate);
  CHECK(applied.num_late == 1);
  CHECK(filter.now() == 74);
  const WindowStats stats = filter.GetStats();
  REQUIRE(stats.buckets.size() >= 2);
  CHECK(stats.buckets.back().first_tick == 50);
  CHECK(stats.buckets.back().num_keys == 3);
  CHECK(EraseAtTimes(filter, digests, times).num_done == 5);
  // One that is of no live bucket enters none.
  filter.Advance(200);
  const Applied expired =
      InsertAtTimes(filter, std::span(digests).first(2), std::vector<uint64_t>{74, 201}, rate);
  CHECK(expired.num_done == 1);
  CHECK(expired.num_expired == 1);
  CHECK(filter.num_keys() == 1);
}

TEST_CASE("a batch without keys does not move the clock", "[tools][window_keys]") {
  WindowFilter filter = MakeFilter(100, 4);
  WindowRate rate(filter);
  InsertAtTimes(filter, {}, {}, rate);
  InsertIfAbsentAtTimes(filter, {}, {}, {}, rate);
  CHECK(filter.now() == 0);
}

using Catch::Matchers::WithinRel;

WindowFilter MakeFilter() {
  return WindowFilter::Create({.window = 80, .num_buckets = 8, .capacity = 9000}).value();
}

void Insert(WindowFilter& filter, uint64_t num_keys, WindowRate& rate) {
  static uint64_t seed = 0;
  filter.Insert(tests::MemberKeys(num_keys, ++seed));
  rate.Add(filter, num_keys);
}

TEST_CASE("a window's highest rate is the filter's prediction when it was highest",
          "[tools][window_rate]") {
  WindowFilter filter = MakeFilter();
  WindowRate rate(filter);
  CHECK(rate.highest_fpr() == 0);
  for (uint64_t now = 0; now < 200; now += 10) {
    filter.Advance(now);
    Insert(filter, 500, rate);
    Insert(filter, 500, rate);
  }
  CHECK_THAT(rate.highest_fpr(), WithinRel(filter.GetStats().predicted_fpr, 1e-9));
  CHECK(rate.highest_fpr() <= filter.target_fpr());

  Insert(filter, 14'000, rate);
  const double in_burst = filter.GetStats().predicted_fpr;
  CHECK(in_burst > filter.target_fpr());
  // Beyond the requested rate it was measured.
  CHECK_THAT(rate.highest_fpr(), WithinRel(in_burst, 0.05));
  filter.Advance(1000);
  Insert(filter, 10, rate);
  CHECK_THAT(rate.highest_fpr(), WithinRel(in_burst, 0.05));
  CHECK(filter.GetStats().predicted_fpr < filter.target_fpr());
}

TEST_CASE("keys that come again do not raise a window's rate", "[tools][window_rate]") {
  WindowFilter filter = MakeFilter();
  WindowRate rate(filter);
  const auto keys = tests::MemberKeys(500, 5);
  for (uint64_t now = 0; now < 200; now += 10) {
    filter.Advance(now);
    for (int again = 0; again < 20; ++again) {
      filter.Insert(keys);
      rate.Add(filter, keys.size());
    }
  }
  CHECK(rate.highest_fpr() <= filter.target_fpr());
}

TEST_CASE("a window's rate begins with what a filter holds already", "[tools][window_rate]") {
  WindowFilter filter = MakeFilter();
  filter.Insert(tests::MemberKeys(3000, 77));
  WindowRate rate(filter);
  filter.Advance(20);
  Insert(filter, 1, rate);
  CHECK_THAT(rate.highest_fpr(), WithinRel(filter.GetStats().predicted_fpr, 0.1));
}

TEST_CASE("what is expected to be taken for present does not depend on the batches",
          "[tools][window_rate]") {
  WindowFilter filter = MakeFilter();
  WindowRate at_once(filter);
  WindowRate in_parts(filter);
  at_once.Add(filter, 1000);
  for (int part = 0; part < 50; ++part) in_parts.Add(filter, 20);
  CHECK(in_parts.expected_wrongly_present() > 0);
  CHECK_THAT(at_once.expected_wrongly_present(),
             WithinRel(in_parts.expected_wrongly_present(), 0.03));
}

}  // namespace
}  // namespace trommel::tool
