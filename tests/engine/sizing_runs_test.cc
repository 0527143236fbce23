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
