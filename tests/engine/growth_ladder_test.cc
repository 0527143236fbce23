// The sizes of a growing shard.
#include "engine/src/growing/growth_ladder.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/src/growing/segment.h"
#include "kernels/growing_layout.h"
#include "support/catch.h"

namespace trommel {
namespace {

struct LadderRange {
  uint32_t value_bits;
  uint64_t first_capacity;
  uint64_t max_capacity;
};

std::vector<LadderRange> LadderRanges() {
  std::vector<LadderRange> ranges;
  for (uint32_t value_bits = 1; value_bits <= kernels::kMaxValueBits; ++value_bits) {
    for (const uint64_t first : {0U, 1U, 2'000U, 70'000U, 5'000'000U}) {
      for (const uint64_t most : {1U, 1'500U, 100'000U, 16'000'000U}) {
        ranges.push_back({value_bits, first, std::max(first, most)});
      }
    }
  }
  return ranges;
}

TEST_CASE("the segments of each level tell their values apart, have at most 65,536 keys, and fit",
          "[engine][growing]") {
  for (const auto& [value_bits, first, most] : LadderRanges()) {
    CAPTURE(value_bits, first, most);
    const GrowthLadder ladder(value_bits, first, most);
    for (size_t i = 0; i < ladder.num_levels(); ++i) {
      const GrowthLevel& level = ladder[i];
      CAPTURE(i, level.capacity, level.prefix_bits, level.num_blocks, level.layout.bits);
      REQUIRE(level.prefix_bits <= kernels::kMaxPrefixBits);
      REQUIRE(level.prefix_bits < value_bits);
      const uint32_t p = value_bits - level.prefix_bits;
      const kernels::DenseShape& shape = level.layout.shape;
      REQUIRE(kernels::DenseShapeIdx(shape) < kernels::kNumDenseShapes);
      REQUIRE(level.layout.bits <= shape.max_bits);
      REQUIRE(level.num_blocks >= 1);
      REQUIRE(level.num_blocks <= kernels::kMaxSegmentBlocks);
      REQUIRE(level.capacity >> level.prefix_bits <= 65'536);
      // An interval has at most so many values; three are to spare (segment_values.cc).
      const uint64_t num_intervals = level.num_blocks * shape.bins;
      const uint64_t most_values = ((uint64_t{1} << p) + num_intervals - 1) / num_intervals;
      REQUIRE(most_values + 3 <= uint64_t{1} << level.layout.bits);
      // The blocks take all keys.
      REQUIRE(level.num_segments() * level.num_blocks * shape.slots >= level.capacity);
      REQUIRE(level.num_bytes() >=
              level.num_segments() * (Segment::BytesFor(level.num_blocks) + 64));
    }
  }
}

TEST_CASE("a growing shard keeps digests as long as they take less memory than blocks",
          "[engine][growing]") {
  uint64_t before = 0;
  for (uint32_t value_bits = 1; value_bits <= kernels::kMaxValueBits; ++value_bits) {
    CAPTURE(value_bits);
    const GrowthLadder ladder(value_bits, 0, uint64_t{1} << 34);
    const uint64_t num_digests = ladder.max_digests();
    REQUIRE(ladder.begins_with_digests());
    CHECK(num_digests >= GrowthLadder::kLeastDigests);
    CHECK(num_digests >= before);
    // From then on the blocks that take a quarter more of them.
    CHECK(ladder[0].capacity >= num_digests * 5 / 4);
    CHECK(ladder[0].num_bytes() <= num_digests * GrowthLadder::kMostBytesPerDigest);
    before = num_digests;
    // A first size beyond them begins with blocks.
    CHECK(GrowthLadder(value_bits, num_digests, num_digests).begins_with_digests());
    const GrowthLadder larger(value_bits, num_digests + 1, num_digests + 1);
    CHECK_FALSE(larger.begins_with_digests());
    CHECK(larger[larger.first_level()].capacity == num_digests + 1);
  }
}

}  // namespace
}  // namespace trommel
