// Sizing of runs: their limits besides the rate, and the shape for each rate.
#include <algorithm>
#include <cstdint>

#include "support/catch.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

using Catch::Approx;

SizingRequest RunsRequest(uint64_t capacity, double target_fpr, uint32_t num_slices = 0) {
  return {.capacity = capacity,
          .target_fpr = target_fpr,
          .num_slices = num_slices,
          .encoding = Encoding::kRuns};
}

TEST_CASE("runs need no more bits per key than promised", "[engine][sizing]") {
  const uint64_t capacity = GENERATE(uint64_t{1'000'000}, 30'000'000);
  CHECK(SizeFor(RunsRequest(capacity, 0.0040))->bits_per_key <= 22.5);
  CHECK(SizeFor(RunsRequest(capacity, 0.0061))->bits_per_key <= 20);
}

TEST_CASE("each rate gets its shape of runs", "[engine][sizing][long]") {
  const uint64_t capacity = GENERATE(uint64_t{1'000'000}, 30'000'000);
  const auto [target_fpr, num_slices] = GENERATE(table<double, uint32_t>({{0.5, 4},
                                                                          {0.05, 4},
                                                                          {0.02, 4},
                                                                          {0.01, 5},
                                                                          {0.004, 5},
                                                                          {0.001, 5},
                                                                          {0.0003, 10},
                                                                          {0.0001, 10},
                                                                          {1e-6, 10}}));
  CHECK(SizeFor(RunsRequest(capacity, target_fpr))->geometry.num_slices == num_slices);
}

TEST_CASE("sizing takes the shape of runs with the fewest bytes but for a near tie",
          "[engine][sizing][long]") {
  double target_fpr = 0.5;
  bool has_taken_a_tie = false;
  for (; target_fpr >= kMinTargetFpr; target_fpr *= 0.97) {
    const auto bits = [&](uint32_t num_slices) {
      return SizeFor(RunsRequest(1'000'000, target_fpr, num_slices))->bits_per_key;
    };
    const double one_line = std::min(bits(4), bits(5));
    const double two_lines = bits(10);
    const bool is_ten_better = one_line > 1.02 * two_lines;
    has_taken_a_tie |= !is_ten_better && two_lines < one_line;
    const auto chosen = SizeFor(RunsRequest(1'000'000, target_fpr));
    CAPTURE(target_fpr, one_line, two_lines);
    CHECK(chosen->bits_per_key == (is_ten_better ? two_lines : one_line));
    // The shape that sizing leaves out would need more.
    CHECK(chosen->bits_per_key < bits(8));
  }
  CHECK(has_taken_a_tie);
}

TEST_CASE("at high rates the promoted share limits runs", "[engine][sizing]") {
  const auto loose = SizeFor(RunsRequest(1'000'000, 0.5));
  const auto looser = SizeFor(RunsRequest(1'000'000, 0.1));
  CHECK(loose->geometry == looser->geometry);
  CHECK(loose->predicted_fpr < 0.1);
  CHECK(loose->predicted_promoted_share == Approx(MaxPromotedShare(Encoding::kRuns)).epsilon(0.02));
  CHECK(loose->predicted_side_table_bytes > 0);
  // Planes may promote every block: their rate limits them.
  const Geometry planes{.num_slices = 8, .num_blocks = 1000};
  CHECK(PredictedPromotedShare(planes, *CapacityFor(planes, 0.5)) >
        MaxPromotedShare(Encoding::kRuns));
}

TEST_CASE("promoted share and side table of runs rise with keys and fall with blocks",
          "[engine][sizing]") {
  const uint32_t num_slices = GENERATE(uint32_t{4}, 5, 8, 10);
  const auto runs = [&](uint64_t num_blocks) {
    return Geometry{
        .num_slices = num_slices, .encoding = Encoding::kRuns, .num_blocks = num_blocks};
  };
  double share = 0;
  uint64_t bytes = 0;
  for (uint64_t num_keys = 15'000; num_keys <= 65'000; num_keys += 1000) {
    const double new_share = PredictedPromotedShare(runs(1000), num_keys);
    const uint64_t new_bytes = PredictedSideTableBytes(runs(1000), num_keys);
    CHECK(new_share > share);
    CHECK(new_bytes >= bytes);
    share = new_share;
    bytes = new_bytes;
  }
  CHECK(bytes > 1000 * 40);
  for (uint64_t num_blocks = 1001; num_blocks < 2000; num_blocks += 37) {
    const double new_share = PredictedPromotedShare(runs(num_blocks), 65'000);
    CHECK(new_share < share);
    share = new_share;
  }
}

TEST_CASE("one block of runs is promoted by the key too many", "[engine][sizing]") {
  const auto [num_slices, most_keys] =
      GENERATE(table<uint32_t, uint64_t>({{4, 63}, {5, 37}, {8, 31}, {10, 37}}));
  const Geometry geometry{.num_slices = num_slices, .encoding = Encoding::kRuns, .num_blocks = 1};
  CHECK(PredictedPromotedShare(geometry, most_keys) == 0.0);
  CHECK(PredictedSideTableBytes(geometry, most_keys) == 0);
  CHECK(PredictedPromotedShare(geometry, most_keys + 1) == 1.0);
  CHECK(PredictedSideTableBytes(geometry, most_keys + 1) > 0);
  const auto capacity = CapacityFor(geometry, kMaxTargetFpr);
  REQUIRE(capacity.ok());
  CHECK(*capacity == most_keys);
}

}  // namespace
}  // namespace trommel
