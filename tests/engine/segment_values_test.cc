// Segments made of values have these values, whatever their size and shape: nothing is lost when a
// growing shard changes its size.
#include "engine/src/growing/segment_values.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "engine/src/growing/growing_memory.h"
#include "engine/src/growing/growth_ladder.h"
#include "kernels/dense_layout.h"
#include "kernels/growing_layout.h"
#include "kernels/targets.h"
#include "support/catch.h"

namespace trommel {
namespace {

using CountsOfValues = std::map<uint64_t, uint64_t>;

ShardValues ValuesOf(const CountsOfValues& counts, uint64_t most_slots = 2) {
  ShardValues values;
  for (const auto& [value, count] : counts) {
    const uint64_t num_slots = std::min(count, most_slots);
    values.values.insert(values.values.end(), num_slots, value);
    if (count > num_slots) values.further.push_back({value, count - num_slots});
  }
  return values;
}

CountsOfValues CountsOf(const ShardValues& values) {
  CountsOfValues counts;
  for (const uint64_t value : values.values) counts[value] += 1;
  for (const auto& [value, count] : values.further) {
    CHECK(counts.contains(value));
    counts[value] += count;
  }
  return counts;
}

// A segment with its memory.
struct MadeSegment {
  MadeSegment(const GrowthLevel& level, uint32_t value_bits, uint64_t prefix,
              const ShardValues& values, uint64_t side_limit_bytes = 0) {
    kernels::UseDenseKernels();
    (void)kernels::ActiveKernels();
    const ValueRange range = RangeOf(values, prefix, level.prefix_bits, value_bits);
    segment = MakeSegment(level, value_bits, range, side_limit_bytes, memory);
  }
  MadeSegment(const MadeSegment&) = delete;
  MadeSegment& operator=(const MadeSegment&) = delete;
  ~MadeSegment() {
    if (segment) memory.FreeSegment(segment->bytes(), segment->num_bytes());
  }

  GrowingMemory memory;
  std::optional<Segment> segment;
};

// If the shape's remainders can tell so many values apart.
std::optional<GrowthLevel> LevelOfShape(uint32_t p, uint32_t prefix_bits, uint64_t num_blocks,
                                        const kernels::DenseShape& shape) {
  const uint32_t bits = kernels::RemainderBitsFor(p, num_blocks * shape.bins);
  if (bits > shape.max_bits) return std::nullopt;
  return GrowthLevel{.capacity = num_blocks * shape.slots,
                     .prefix_bits = prefix_bits,
                     .num_blocks = num_blocks,
                     .layout = {shape, bits}};
}

void CheckHolds(const GrowthLevel& level, uint32_t value_bits, uint64_t prefix,
                const CountsOfValues& counts) {
  const ShardValues values = ValuesOf(counts);
  const MadeSegment made(level, value_bits, prefix, values);
  REQUIRE(made.segment);
  ShardValues got;
  AppendValues(*made.segment, prefix, value_bits, got);
  REQUIRE(std::ranges::is_sorted(got.values));
  REQUIRE(std::ranges::is_sorted(got.further, {}, &ValueCount::value));
  REQUIRE((CountsOf(got) == counts));
  // Each is found where it belongs.
  const uint64_t mask = (uint64_t{1} << (value_bits - level.prefix_bits)) - 1;
  for (const auto& [value, count] : counts) {
    const auto [block_idx, key] =
        made.segment->PlaceOf(value & mask, value_bits - level.prefix_bits);
    if (made.segment->range().CountOf(block_idx, key) != count) FAIL("value " << value);
  }
}

TEST_CASE("a segment has the values that it was made of, of each size and shape",
          "[engine][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const kernels::DenseShape& shape : kernels::kDenseShapes) {
    for (const uint32_t p : {1U, 2U, 7U, 12U, 17U, 23U, 28U, 31U, 37U}) {
      for (const uint64_t num_blocks : {1U, 2U, 3U, 63U, 64U, 127U, 1'021U, 4'095U}) {
        const auto prefix_bits = static_cast<uint32_t>(random() % std::min(8U, 45 - p));
        const auto level = LevelOfShape(p, prefix_bits, num_blocks, shape);
        if (!level) continue;
        CAPTURE(shape.slots, p, num_blocks, level->layout.bits);
        const uint64_t prefix = random() % level->num_segments();
        const uint64_t num_intervals = num_blocks * shape.bins;
        CountsOfValues counts;
        const auto add = [&](uint64_t value, uint64_t count) {
          if (value >> p == 0) counts[prefix << p | value] += count;
        };
        // Values at the edges of intervals, up to the last one, and next to them; and any others.
        for (uint64_t i = 0; i < std::min<uint64_t>(num_blocks * 20, 4'000); ++i) {
          const uint64_t interval = i < 3   ? i
                                    : i < 6 ? num_intervals - (i - 3)
                                            : random() % num_intervals;
          const auto first = static_cast<uint64_t>(
              ((kernels::DenseWord{interval} << p) + num_intervals - 1) / num_intervals);
          add(first, 1);
          if (i % 3 == 0) add(first - 1, 1);
          if (i % 3 == 1) add(random() & ((uint64_t{1} << p) - 1), 1 + (i % 90 == 1 ? i % 7 : 0));
        }
        CheckHolds(*level, p + prefix_bits, prefix, counts);
      }
    }
  }
}

TEST_CASE("values far from their places are sorted, too", "[engine][growing]") {
  std::vector<uint64_t> values(100'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = values.size() - i;
  SortNearly(values);
  CHECK(std::ranges::is_sorted(values));
}

}  // namespace

}  // namespace trommel
