// Which configurations make a window filter, and of what size.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "engine/src/base/grouped_text.h"
#include "support/catch.h"
#include "support/window_slots.h"
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
  const WindowConfig good{.window = 60, .num_buckets = 6, .capacity = 1000};
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
  CheckRefused(with(&WindowConfig::target_fpr, 0.51), "target_fpr is 0.51", "and 0.5");
  CheckRefused(with(&WindowConfig::target_fpr, 1e-6), "target_fpr is 1e-06",
               "between 1.6e-05 and 0.5");
  CheckRefused(with(&WindowConfig::target_fpr, std::nan("")), "target_fpr is nan", "between");
  CheckRefused(with(&WindowConfig::capacity, kMaxCapacity), "capacity is 1099511627776",
               "more blocks than the 2147483647 there can be");
  CheckRefused(with(&WindowConfig::digest, DigestPolicy{static_cast<DigestKind>(9)}),
               "digest kind is 9", "between 0");
}

TEST_CASE("the lowest rate can be had with any number of keys and buckets", "[engine][window]") {
  const uint64_t capacity = GENERATE(uint64_t{1}, uint64_t{77}, uint64_t{100'000});
  const uint32_t num_buckets = GENERATE(1U, 8U, 64U);
  const WindowFilter filter = WindowFilter::Create({.window = 64,
                                                    .num_buckets = num_buckets,
                                                    .capacity = capacity,
                                                    .target_fpr = WindowFilter::kMinTargetFpr})
                                  .value();
  CHECK(filter.PredictedFpr(capacity) <= WindowFilter::kMinTargetFpr);
  // And there is hardly a lower one.
  CHECK(filter.PredictedFpr(filter.geometry().num_blocks) > WindowFilter::kMinTargetFpr * 0.95);
}

TEST_CASE("a window filter takes the memory of its blocks, within its limit", "[engine][window]") {
  WindowConfig config{.window = 60, .num_buckets = 6, .capacity = 70'000};
  const WindowFilter filter = WindowFilter::Create(config).value();
  // 32 bytes of state for each group of 64 blocks.
  const Geometry& geometry = filter.geometry();
  const uint64_t num_bytes = geometry.num_bytes() + (geometry.num_blocks + 63) / 64 * 32;
  CHECK(filter.GetStats().num_bytes == num_bytes);
  config.memory_limit_bytes = num_bytes;
  CHECK(WindowFilter::Create(config).ok());
  config.memory_limit_bytes = num_bytes - 1;
  const Result<WindowFilter> refused = WindowFilter::Create(config);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(refused.error().message, ContainsSubstring(GroupedText(num_bytes)));
}

TEST_CASE("the size of slots follows from buckets and rate", "[engine][window]") {
  WindowConfig config{.window = 100, .num_buckets = 8, .capacity = 100'000};
  const auto slot_bits = [&config] {
    return tests::SlotBitsOf(WindowFilter::Create(config).value());
  };
  CHECK(slot_bits() == 16);
  config.num_buckets = 12;
  CHECK(slot_bits() == 16);
  config.num_buckets = 13;
  CHECK(slot_bits() == 24);
  config.num_buckets = 8;
  config.target_fpr = tests::kRateOfSlots24;
  CHECK(slot_bits() == 24);
  config.target_fpr = tests::kRateOfSlots16;
  config.is_erasable = false;
  CHECK(slot_bits() == 16);
  CHECK_FALSE(WindowFilter::Create(config).value().is_erasable());
}

TEST_CASE("a window filter says what it was made of", "[engine][window]") {
  const DigestPolicy digest{DigestKind::kXxh3, 5};
  const WindowFilter filter =
      std::move(
          WindowFilter::Create({.window = 61, .num_buckets = 6, .capacity = 1, .digest = digest}))
          .value();
  CHECK(filter.window() == 61);
  CHECK(filter.num_buckets() == 6);
  CHECK(filter.bucket_ticks() == 11);
  CHECK(filter.digest_policy() == digest);
  CHECK(filter.is_erasable());
  CHECK(filter.now() == 0);
  const uint64_t end = std::numeric_limits<uint64_t>::max();
  CHECK(WindowFilter::Create({.window = end, .num_buckets = 64, .capacity = 10}).ok());
}

}  // namespace
}  // namespace trommel
