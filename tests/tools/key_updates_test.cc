// Keys into and out of filters of any type; those with times in runs of one bucket, of any window,
// as one by one.
#include "tools/trommel/filters/key_updates.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/applied.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;

AnyFilterPtr MakeFilter(uint64_t window, uint32_t num_buckets) {
  return AnyFilter::Create(FilterType::kWindow,
                           {{"window", window},
                            {"num_buckets", num_buckets},
                            {"capacity", uint64_t{20'000}},
                            {"target_fpr", 0.001}},
                           {.kind = DigestKind::kCaller})
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

TEST_CASE("a batch with times does what its keys one by one do", "[tools][key_updates]") {
  std::mt19937_64 random(Catch::rngSeed());
  const auto [window, num_buckets] =
      GENERATE(std::pair{uint64_t{1000}, 8U}, std::pair{uint64_t{1003}, 7U},
               std::pair{uint64_t{9}, 8U}, std::pair{uint64_t{64}, 64U},
               std::pair{uint64_t{1} << 60, 3U}, std::pair{uint64_t{600'000}, 1U});
  CAPTURE(window, num_buckets);
  const uint64_t step = std::max<uint64_t>(2, window / 100);
  const std::vector<uint64_t> times = SomeTimes(2000, step, random);
  const std::vector<uint64_t> digests = SomeKeys(2000, 500, random);
  const AnyFilterPtr batch = MakeFilter(window, num_buckets);
  const AnyFilterPtr single = MakeFilter(window, num_buckets);
  KeyUpdates batch_updates(*batch);
  KeyUpdates single_updates(*single);

  SECTION("inserting") {
    Applied one_by_one;
    for (size_t i = 0; i < times.size(); ++i) {
      one_by_one +=
          single_updates.Insert(std::span(digests).subspan(i, 1), std::span(times).subspan(i, 1));
    }
    const Applied applied = batch_updates.Insert(digests, times);
    CHECK(applied.num_done + applied.num_expired == 2000);
    CHECK(applied.num_done == one_by_one.num_done);
    CHECK(applied.num_expired == one_by_one.num_expired);
    CHECK(applied.num_late == one_by_one.num_late);
    REQUIRE(batch->now() == *std::ranges::max_element(times));
    CHECK((batch->Serialize() == single->Serialize()));
    CHECK(batch_updates.window_rate()->highest_fpr() ==
          single_updates.window_rate()->highest_fpr());

    Applied erased;
    for (size_t i = 0; i < times.size(); ++i) {
      const EraseOutcome outcome =
          *single->EraseAt(Keys::Digests(std::span(digests).subspan(i, 1)), times[i], {});
      erased += {.num_done = outcome.num_erased,
                 .num_refused = outcome.num_refused,
                 .num_expired = outcome.num_expired};
    }
    const Applied at_once = batch_updates.Erase(digests, times);
    CHECK(at_once.num_done == erased.num_done);
    CHECK(at_once.num_refused == erased.num_refused);
    CHECK(at_once.num_expired == erased.num_expired);
    CHECK((batch->Serialize() == single->Serialize()));
  }
  SECTION("inserting what is absent") {
    std::vector<uint64_t> bitmap(BitmapWords(2000), ~uint64_t{0});
    const Applied applied = batch_updates.InsertIfAbsent(digests, times, bitmap);
    uint64_t num_inserted = 0;
    for (size_t i = 0; i < times.size(); ++i) {
      REQUIRE(single->Advance(std::max(single->now(), times[i])).value());
      const bool is_new = single->InsertOneIfAbsent(Key::Digest(digests[i]), nullptr);
      num_inserted += is_new ? 1 : 0;
      REQUIRE((bitmap[i / 64] >> (i % 64) & 1) == (is_new ? 1 : 0));
    }
    CHECK(applied.num_done == num_inserted);
    CHECK(bitmap.back() >> (2000 % 64) == 0);
    CHECK((batch->Serialize() == single->Serialize()));
  }
}

TEST_CASE("a key that is late enters its own bucket", "[tools][key_updates]") {
  const AnyFilterPtr filter = MakeFilter(100, 4);
  KeyUpdates updates(*filter);
  const std::vector<uint64_t> digests = {1, 2, 3, 4, 5};
  // The bucket of 50 .. 74: 49 is late, 50 is not.
  const std::vector<uint64_t> times = {24, 60, 49, 50, 74};
  const Applied applied = updates.Insert(digests, times);
  CHECK(applied.num_late == 1);
  CHECK(filter->now() == 74);
  const auto [name, buckets] = filter->GetParts(false);
  CHECK(name == "buckets");
  REQUIRE(buckets.size() >= 2);
  CHECK(FigureOr<uint64_t>(buckets.back(), "first_tick", 0) == 50);
  CHECK(FigureOr<uint64_t>(buckets.back(), "num_keys", 0) == 3);
  CHECK(updates.Erase(digests, times).num_done == 5);
  // One that is of no live bucket enters none.
  CHECK(filter->Advance(200).value());
  const Applied expired =
      updates.Insert(std::span(digests).first(2), std::vector<uint64_t>{74, 201});
  CHECK(expired.num_done == 1);
  CHECK(expired.num_expired == 1);
  CHECK(filter->num_keys() == 1);
}

AnyFilterPtr MakeOfType(FilterType type) {
  const bool grows = type == FilterType::kScalable;
  return AnyFilter::Create(type,
                           {{grows ? "first_capacity" : "capacity", uint64_t{grows ? 100U : 2000U}},
                            {"target_fpr", 1e-4}})
      .value();
}

// But window filters: they need times.
FilterType AnyType() { return GENERATE(FilterType::kCounting, FilterType::kScalable); }

AnyFilterPtr MakeWindow() { return MakeFilter(100, 4); }

TEST_CASE("types without time refuse times and advances", "[tools][key_updates]") {
  const AnyFilterPtr filter = MakeOfType(AnyType());
  KeyUpdates updates(*filter);
  CHECK(CheckTimes(*filter, false).ok());
  REQUIRE_FALSE(CheckTimes(*filter, true).ok());
  const std::string name(FilterTypeName(filter->type()));
  CHECK_THAT(CheckTimes(*filter, true).error().message, ContainsSubstring("this is a " + name));
  CHECK_THAT(CheckCanErase(*filter, true).error().message, ContainsSubstring("--time"));
}

TEST_CASE("a window filter without times goes by the clock", "[tools][key_updates]") {
  const AnyFilterPtr filter = MakeWindow();
  KeyUpdates updates(*filter);
  const std::vector<uint64_t> digests = {0x9e3779b97f4a7c15, 0x3c6ef372fe94f82a,
                                         0xdaa66d2c7ddf743f};
  CHECK(updates.Insert(digests, {}).num_late == 0);
  CHECK(filter->Advance(~uint64_t{0}).value());
  CHECK(filter->num_keys() == 0);
  std::vector<uint64_t> bitmap(BitmapWords(3));
  const Applied late = updates.InsertIfAbsent(digests, {}, bitmap);
  CHECK(late.num_done == 3);
  CHECK(late.num_late == 3);
}

std::string JsonOf(const Applied& applied) {
  Report report;
  DescribeInserted(applied, report);
  return tests::Printed(report, true);
}

TEST_CASE("what became of batches adds up, and the first refusal stands", "[tools][applied]") {
  Applied all = AppliedOf({.num_inserted = 5});
  CHECK(all.refusal.empty());
  all += AppliedOf({.num_inserted = 2, .num_refused = 3, .refusal = GrowthRefusal::kMemoryLimit});
  all += AppliedOf({.num_refused = 1, .refusal = GrowthRefusal::kLargestCapacity});
  all += {.num_expired = 6, .num_late = 4};
  CHECK(all.num_done == 7);
  CHECK(all.num_refused == 4);
  CHECK(all.num_late == 4);
  CHECK(all.refusal == GrowthRefusalText(GrowthRefusal::kMemoryLimit));
  CHECK(JsonOf(all) == "{\"num_refused_inserts\":4,\"num_late\":4,\"num_expired\":6}\n");
  CHECK(JsonOf({.num_done = 9}) == "{}\n");
}

}  // namespace
}  // namespace trommel::tool
