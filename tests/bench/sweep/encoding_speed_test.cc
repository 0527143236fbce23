// The quick measurement of a few filters: what is measured of a sizing, and what comes back.
#include "bench/sweep/encoding_speed.h"

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr Encoding kEncodings[] = {Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16,
                                   Encoding::kDense};

Sizing SizingOf(uint64_t capacity, Encoding encoding, double target_fpr = 0.004) {
  return SizeFor({.capacity = capacity, .target_fpr = target_fpr, .encoding = encoding}).value();
}

// A number of blocks that no sizing chose.
Sizing Crowded(uint64_t num_keys, uint64_t num_blocks) {
  Sizing sizing;
  sizing.geometry = {.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = num_blocks};
  sizing.capacity = num_keys;
  sizing.predicted_side_table_bytes = PredictedSideTableBytes(sizing.geometry, num_keys);
  return sizing;
}

TEST_CASE("a larger filter is measured as full in less memory", "[bench][encoding_speed]") {
  const uint64_t capacity = GENERATE(uint64_t{40'000'000}, uint64_t{1'000'000'000});
  for (const Encoding encoding : kEncodings) {
    CAPTURE(EncodingName(encoding));
    const Sizing sizing = SizingOf(capacity, encoding);
    const Result<SpeedSide> side = SpeedSideOf(sizing);
    REQUIRE(side.ok());
    CHECK(Validate(side->geometry).ok());
    const uint64_t num_bytes =
        side->geometry.num_bytes() + PredictedSideTableBytes(side->geometry, side->num_keys);
    CHECK(num_bytes <= kMostSpeedBytes);
    CHECK(num_bytes > kMostSpeedBytes / 10 * 9);
    const auto load = [](uint64_t num_keys, const Geometry& geometry) {
      return static_cast<double>(num_keys) / static_cast<double>(geometry.num_blocks);
    };
    CHECK(load(side->num_keys, side->geometry) ==
          Approx(load(capacity, sizing.geometry)).epsilon(1e-4));
  }
}

TEST_CASE("too few keys, and too many per block, are refused with the figures",
          "[bench][encoding_speed]") {
  CHECK_THAT(SpeedSideOf(SizingOf(999, Encoding::kRuns)).error().message,
             ContainsSubstring("1000") && ContainsSubstring("got 999"));
  CHECK(SpeedSideOf(SizingOf(1000, Encoding::kRuns)).ok());
  CHECK_THAT(SpeedSideOf(Crowded(2570, 10 - 1)).error().message,
             ContainsSubstring("256 keys per block") && ContainsSubstring("2570 keys in 9 blocks"));
  CHECK(SpeedSideOf(Crowded(2560, 10)).ok());
}

TEST_CASE("all figures of all sides are measured, in the order given", "[bench][encoding_speed]") {
  std::vector<SpeedSide> sides;
  for (const Encoding encoding : kEncodings) {
    sides.push_back(SpeedSideOf(SizingOf(1500, encoding)).value());
  }
  SpeedHooks hooks;
  size_t num_calls = 0;
  size_t num_figures = 0;
  hooks.measuring = [&](size_t done, size_t total) {
    CHECK(done == num_calls++);
    num_figures = total;
  };
  const Result<SpeedResult> result = MeasureSpeeds(sides, hooks);
  REQUIRE(result.ok());
  CHECK(result->wrong.empty());
  CHECK_FALSE(result->stopped);
  CHECK(num_calls == num_figures);
  REQUIRE(result->sides.size() == sides.size());
  for (size_t i = 0; i < sides.size(); ++i) {
    const SideSpeed& speed = result->sides[i];
    CHECK(speed.side.geometry == sides[i].geometry);
    for (const double ns :
         {speed.insert_ns, speed.erase_ns, speed.query_miss_ns, speed.query_hit_ns}) {
      CHECK(std::isfinite(ns));
      CHECK(ns > 0);
    }
  }
}

}  // namespace
}  // namespace trommel::bench
