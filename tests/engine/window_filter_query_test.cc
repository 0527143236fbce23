// Queries of window filters: all forms of a question get one answer, and non-members the promised
// rate.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/statistics.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

TEST_CASE("queries, selections, points and counts of a window agree", "[engine][window][long]") {
  const bool has_executor = GENERATE(false, true);
  WindowConfig config{.window = 80, .num_buckets = 8, .capacity = 9'000, .target_fpr = 0.1};
  if (has_executor) config.executor = Executor::Create(2).value();
  WindowFilter filter = std::move(WindowFilter::Create(config)).value();
  for (uint64_t now = 0; now < 200; now += 10) {
    filter.Advance(now);
    filter.Insert(tests::MemberKeys(1000, 3, now * 50));
  }
  const size_t num_keys = GENERATE(size_t{0}, 1, 63, 64, 2048, 2049, 40'000);
  std::vector<uint64_t> keys = tests::NonMemberKeys(num_keys, 3);
  const std::vector<uint64_t> members = tests::MemberKeys(num_keys, 3);
  for (size_t i = 0; i < num_keys; i += 3) keys[i] = members[i];

  std::vector<uint64_t> answers(BitmapWords(num_keys), ~uint64_t{0});
  const size_t num_present = filter.Query(keys, answers);
  std::vector<uint32_t> present(num_keys);
  std::vector<uint32_t> absent(num_keys);
  present.resize(filter.Select(keys, Answer::kMaybePresent, present));
  absent.resize(filter.Select(keys, Answer::kAbsent, absent));
  std::vector<uint64_t> counts(num_keys);
  filter.CountEstimates(keys, counts);
  REQUIRE(present.size() == num_present);
  REQUIRE(absent.size() == num_keys - num_present);
  size_t p = 0;
  size_t a = 0;
  for (size_t i = 0; i < num_keys; ++i) {
    const bool is_present = tests::BitAt(answers, i);
    REQUIRE(filter.MayContain(keys[i]) == is_present);
    REQUIRE((counts[i] > 0) == is_present);
    REQUIRE(filter.CountEstimate(keys[i]) == counts[i]);
    REQUIRE((is_present ? present[p++] : absent[a++]) == i);
  }
  if (num_keys % 64 != 0) CHECK(answers.back() >> (num_keys % 64) == 0);
}

TEST_CASE("a full window keeps its rate with non-members", "[engine][window]") {
  const uint32_t num_buckets = GENERATE(1U, 8U, 30U);
  WindowFilter filter =
      std::move(
          WindowFilter::Create(
              {.window = 300, .num_buckets = num_buckets, .capacity = 60'000, .target_fpr = 0.02}))
          .value();
  // Evenly, for twice the window: what has gone must not show.
  const uint64_t width = filter.bucket_ticks();
  const uint64_t bucket_keys = filter.capacity() / (num_buckets + 1);
  uint64_t num_inserted = 0;
  for (uint64_t now = 0; now < 600 + width; now += width) {
    filter.Advance(now);
    filter.Insert(tests::MemberKeys(bucket_keys, 5, num_inserted));
    num_inserted += bucket_keys;
  }
  const WindowStats stats = filter.GetStats();
  CHECK(stats.buckets.size() == num_buckets + 1);
  CHECK(stats.num_keys == bucket_keys * (num_buckets + 1));
  CHECK(stats.predicted_fpr <= filter.target_fpr());

  constexpr uint64_t kStrangers = 200'000;
  std::vector<uint64_t> answers(BitmapWords(kStrangers));
  const uint64_t num_hits = filter.Query(tests::NonMemberKeys(kStrangers, 5), answers);
  // The filter's own rate, whichever blocks it drew, is what its bits say.
  const auto bound = tests::BinomialBound(stats.current_fpr, kStrangers);
  CHECK(bound.ContainsHits(num_hits));
  // And its bits are what the model predicts of every bucket.
  for (const WindowBucket& bucket : stats.buckets) {
    CHECK(tests::FilterFprBound(filter.geometry(), bucket_keys).Contains(bucket.stats.current_fpr));
  }
}

}  // namespace
}  // namespace trommel
