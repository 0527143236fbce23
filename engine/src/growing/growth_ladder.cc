#include "engine/src/growing/growth_ladder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/src/growing/segment.h"
#include "kernels/growing_layout.h"

namespace trommel {
namespace {

using kernels::kDenseShapes;

// A level of several segments with remainders of so many bits is followed by one of 1.41 times the
// capacity, others by one of twice it: keys are moved once on average instead of 2.4 times.
constexpr uint32_t kLongRemainder = 16;
constexpr uint64_t kMostSegmentKeys = 65'536;
// Keys per block when a line for 16 blocks is nine tenths full (docs/FINGERPRINTS.md, section 1).
// The sizes limit the keys of a shard in files: FORMAT.md, section 6, has these numbers.
constexpr std::array<double, kernels::kNumDenseShapes> kFullLoads = {47.0, 43.9, 39.2, 36.3, 34.4,
                                                                     31.6, 28.7, 23.0, 18.4, 16.6};

uint64_t DivideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// The blocks that so many keys of p bits take in a shape: of which remainders are short enough.
uint64_t BlocksFor(size_t shape_idx, uint64_t num_keys, uint32_t p) {
  const kernels::DenseShape& shape = kDenseShapes[shape_idx];
  const auto for_keys =
      static_cast<uint64_t>(std::ceil(static_cast<double>(num_keys) / kFullLoads[shape_idx]));
  const uint64_t in_bin = (uint64_t{1} << shape.max_bits) - kernels::kSpareValues;
  const uint64_t for_bits = DivideUp(uint64_t{1} << p, in_bin * shape.bins);
  return std::max({for_keys, for_bits, uint64_t{1}});
}

// The level without the pages that segments would leave half empty.
GrowthLevel LevelOf(uint32_t value_bits, uint64_t capacity) {
  GrowthLevel level{.capacity = capacity};
  while ((capacity >> level.prefix_bits) > kMostSegmentKeys) ++level.prefix_bits;
  uint32_t p = value_bits - level.prefix_bits;
  const auto smallest = [&] {
    const uint64_t num_keys = DivideUp(capacity, level.num_segments());
    size_t best = 0;
    for (size_t i = 1; i < kernels::kNumDenseShapes; ++i) {
      if (BlocksFor(i, num_keys, p) < BlocksFor(best, num_keys, p)) best = i;
    }
    level.num_blocks = BlocksFor(best, num_keys, p);
    return best;
  };
  size_t shape_idx = smallest();
  // Long values of few keys: as many blocks as their remainders need.
  for (; level.num_blocks > Segment::kMostBlocks; shape_idx = smallest()) {
    ++level.prefix_bits;
    --p;
  }
  level.num_blocks =
      std::min(Segment::BlocksWithin(Segment::BytesFor(level.num_blocks)), Segment::kMostBlocks);
  const kernels::DenseShape& shape = kDenseShapes[shape_idx];
  level.layout = {shape, kernels::RemainderBitsFor(p, level.num_blocks * shape.bins)};
  return level;
}

}  // namespace

uint64_t GrowthLevel::num_bytes() const {
  return num_segments() * Segment::AllBytesFor(num_blocks);
}

GrowthLadder::GrowthLadder(uint32_t value_bits, uint64_t first_capacity, uint64_t max_capacity)
    : value_bits_(value_bits) {
  // Digests, up to where blocks take less.
  while (LevelOf(value_bits, 2 * max_digests_).num_bytes() > max_digests_ * kMostBytesPerDigest) {
    max_digests_ *= 2;
  }
  const uint64_t least = max_digests_ * 5 / 4;
  begins_with_digests_ = first_capacity <= max_digests_;
  // A segment has a bit of its values at least: with more segments there would be more space than
  // there are values.
  const uint64_t most = kMostSegmentKeys << (value_bits - 1);
  const uint64_t first = std::min(begins_with_digests_ ? least : first_capacity, most);
  while (first >> (first_level_ + 1) >= least) ++first_level_;
  for (size_t i = first_level_; i > 0; --i) levels_.push_back(LevelOf(value_bits, first >> i));
  levels_.push_back(LevelOf(value_bits, first));
  for (uint64_t capacity = first; capacity < std::min(max_capacity, most);) {
    const GrowthLevel& last = levels_.back();
    const bool is_long = last.prefix_bits > 0 && last.layout.shape.max_bits >= kLongRemainder;
    capacity = std::min(is_long ? capacity + capacity * 53 / 128 : 2 * capacity, most);
    levels_.push_back(LevelOf(value_bits, capacity));
  }
}

size_t GrowthLadder::LevelFor(uint64_t num_entries) const {
  const auto at = std::ranges::lower_bound(levels_, num_entries, {}, &GrowthLevel::capacity);
  return std::min(static_cast<size_t>(at - levels_.begin()), levels_.size() - 1);
}

}  // namespace trommel
