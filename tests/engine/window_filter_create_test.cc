// Which configurations make a window filter, and of what size.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/statistics.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;

void CheckRefused(const WindowConfig& config, const std::string& field, const std::string& range) {
  const Result<WindowFilter> refused = WindowFilter::Create(config);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(refused.error().message, ContainsSubstring(field));
  CHECK_THAT(refused.error().message, ContainsSubstring(range));
}

TEST_CASE("a window's numbers out of range are refused by name and range", "[engine][window]") {
  const WindowConfig good{
      .window = 60, .num_buckets = 6, .capacity = 1000, .form = WindowForm::kBucketRing};
  REQUIRE(WindowFilter::Create(good).ok());
  const auto with = [&](auto field, auto value) {
    WindowConfig config = good;
    config.*field = value;
    return config;
  };
  CheckRefused(with(&WindowConfig::window, 0), "window is 0", "at least 1");
  CheckRefused(with(&WindowConfig::window, 5), "num_buckets is 6", "between 1 and 5");
  CheckRefused(with(&WindowConfig::num_buckets, 0), "num_buckets is 0", "between 1 and 60");
  CheckRefused(with(&WindowConfig::num_buckets, 65), "num_buckets is 65", "between 1 and 60");
  WindowConfig wide = with(&WindowConfig::num_buckets, 65);
  wide.window = 1000;
  CheckRefused(wide, "num_buckets is 65", "between 1 and 64");
  CheckRefused(with(&WindowConfig::capacity, 0), "capacity is 0", "between 1 and");
  CheckRefused(with(&WindowConfig::capacity, kMaxCapacity + 1), "capacity is", "between 1 and");
  CheckRefused(with(&WindowConfig::bucket_capacity, 1001), "bucket_capacity is 1001",
               "at most capacity, which is 1000");
  CheckRefused(with(&WindowConfig::target_fpr, 0.51), "target_fpr is 0.51", "and 0.5");
  CheckRefused(with(&WindowConfig::target_fpr, 6e-6), "target_fpr is 6e-06", "between 7e-06");
  CheckRefused(with(&WindowConfig::target_fpr, std::nan("")), "target_fpr is nan", "between");
  CheckRefused(with(&WindowConfig::num_slices, 7), "num_slices is 7", "");
  CheckRefused(with(&WindowConfig::digest, DigestPolicy{static_cast<DigestKind>(9)}),
               "digest kind is 9", "between 0");
}

TEST_CASE("a window filter takes the memory of its buckets and one more, within its limit",
          "[engine][window]") {
  WindowConfig config{
      .window = 60, .num_buckets = 6, .capacity = 70'000, .form = WindowForm::kBucketRing};
  const WindowFilter filter = std::move(WindowFilter::Create(config)).value();
  const uint64_t num_bytes = 8 * filter.geometry().num_bytes();
  CHECK(filter.GetStats().num_bytes == num_bytes);
  config.memory_limit_bytes = num_bytes;
  CHECK(WindowFilter::Create(config).ok());
  config.memory_limit_bytes = num_bytes - 1;
  const Result<WindowFilter> refused = WindowFilter::Create(config);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(refused.error().message, ContainsSubstring(GroupedText(num_bytes)));
}

TEST_CASE("buckets are sized so that all of them together keep the rate",
          "[engine][window][long]") {
  const uint32_t num_buckets = GENERATE(1U, 8U, 64U);
  const double target_fpr = GENERATE(1e-4, 0.01, 0.5);
  const Encoding encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes);
  const WindowFilter filter = std::move(WindowFilter::Create({.window = 6400,
                                                              .num_buckets = num_buckets,
                                                              .capacity = 1'000'000,
                                                              .target_fpr = target_fpr,
                                                              .form = WindowForm::kBucketRing,
                                                              .encoding = encoding}))
                                  .value();
  const uint64_t even_keys = (1'000'000 + num_buckets) / (num_buckets + 1);
  CHECK(filter.bucket_capacity() >= even_keys);
  const double one = PredictedFpr(filter.geometry(), even_keys);
  const double all = 1 - std::pow(1 - one, num_buckets + 1);
  CHECK(all <= target_fpr);
  // Runs at high rates are limited by their promoted blocks; else nothing is given away.
  if (encoding == Encoding::kPlanes) CHECK(all > target_fpr * 0.97);
  CHECK(filter.capacity() == 1'000'000);
  CHECK(filter.target_fpr() == target_fpr);
  CHECK(filter.geometry().encoding == encoding);
}

// Of live buckets with so many keys.
double RateOf(const Geometry& geometry, const std::vector<uint64_t>& bucket_keys) {
  double absent = 1;
  for (const uint64_t keys : bucket_keys) absent *= 1 - PredictedFpr(geometry, keys);
  return 1 - absent;
}

TEST_CASE("however the capacity is spread over buckets within their size, the rate is kept",
          "[engine][window]") {
  static constexpr uint64_t kCapacity = 100'000;
  const uint32_t num_buckets = GENERATE(1U, 8U, 64U);
  const double target_fpr = GENERATE(1e-4, 0.01, 0.5);
  const uint64_t burst = GENERATE(uint64_t{0}, kCapacity / 5, kCapacity / 2 + 1, kCapacity);
  const Encoding encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes);
  CAPTURE(num_buckets, target_fpr, burst, encoding);
  const WindowFilter filter = std::move(WindowFilter::Create({.window = 6400,
                                                              .num_buckets = num_buckets,
                                                              .capacity = kCapacity,
                                                              .bucket_capacity = burst,
                                                              .target_fpr = target_fpr,
                                                              .form = WindowForm::kBucketRing,
                                                              .encoding = encoding}))
                                  .value();
  const uint64_t most = filter.bucket_capacity();
  REQUIRE(most >= burst);
  REQUIRE(most <= kCapacity);
  // As many full buckets as there can be, and what is left in one more.
  std::vector<uint64_t> spread;
  uint64_t left = kCapacity;
  while (left > 0 && spread.size() <= num_buckets) {
    spread.push_back(std::min(left, most));
    left -= spread.back();
  }
  CHECK(RateOf(filter.geometry(), spread) <= target_fpr * (1 + 1e-9));
  std::mt19937_64 random(Catch::rngSeed());
  for (int trial = 0; trial < 10; ++trial) {
    left = kCapacity;
    spread.clear();
    while (left > 0 && spread.size() <= num_buckets) {
      spread.push_back(1 + random() % std::min(left, most));
      left -= spread.back();
    }
    CHECK(RateOf(filter.geometry(), spread) <= target_fpr * (1 + 1e-9));
  }
}

TEST_CASE("a window that was sized for a burst keeps its rate in one", "[engine][window]") {
  WindowFilter filter = std::move(WindowFilter::Create({.window = 600,
                                                        .capacity = 50'000,
                                                        .bucket_capacity = 50'000,
                                                        .target_fpr = 0.01,
                                                        .form = WindowForm::kBucketRing}))
                            .value();
  filter.Insert(tests::MemberKeys(50'000, 3));
  const WindowStats stats = filter.GetStats();
  CHECK(stats.predicted_fpr <= 0.01);
  CHECK(stats.num_excess_keys == 0);
  constexpr uint64_t kNonMembers = 100'000;
  std::vector<uint64_t> answers(BitmapWords(kNonMembers));
  const uint64_t num_hits = filter.Query(tests::NonMemberKeys(kNonMembers, 3), answers);
  const double current_fpr = filter.MeasureFill().current_fpr;
  CHECK(tests::BinomialBound(current_fpr, kNonMembers).ContainsHits(num_hits));
  CHECK(tests::FilterFprBound(filter.geometry(), 50'000).Contains(current_fpr));
  // The file does not say what it was sized for; the geometry does.
  const WindowFilter loaded = std::move(WindowFilter::Deserialize(filter.Serialize())).value();
  CHECK(loaded.bucket_capacity() == filter.bucket_capacity());
}

TEST_CASE("a window filter says what it was made of", "[engine][window]") {
  const DigestPolicy digest{DigestKind::kXxh3, 5};
  const WindowFilter filter = std::move(WindowFilter::Create({.window = 61,
                                                              .num_buckets = 6,
                                                              .capacity = 1,
                                                              .digest = digest,
                                                              .form = WindowForm::kBucketRing}))
                                  .value();
  CHECK(filter.window() == 61);
  CHECK(filter.num_buckets() == 6);
  CHECK(filter.bucket_ticks() == 11);
  CHECK(filter.digest_policy() == digest);
  CHECK(filter.bucket_capacity() == 1);  // no more than the capacity
  CHECK(filter.now() == 0);
  const uint64_t end = std::numeric_limits<uint64_t>::max();
  CHECK(WindowFilter::Create(
            {.window = end, .num_buckets = 64, .capacity = 10, .form = WindowForm::kBucketRing})
            .ok());
}

}  // namespace
}  // namespace trommel
