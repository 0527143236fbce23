// What segments have in their blocks, as values (kernels/growing_layout.h), and segments made of
// values: how a shard changes its size, and how it comes from a file.
#ifndef TROMMEL_ENGINE_SRC_GROWING_SEGMENT_VALUES_H_
#define TROMMEL_ENGINE_SRC_GROWING_SEGMENT_VALUES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/src/fingerprints/dense_range.h"
#include "engine/src/growing/growing_memory.h"
#include "engine/src/growing/growth_ladder.h"
#include "engine/src/growing/segment.h"
#include "engine/src/growing/shard_contents.h"

namespace trommel {

// Ascending. A value that has several slots is there as often; further copies are in `further`,
// each value once.
struct ShardValues {
  std::vector<uint64_t> values;
  std::vector<ValueCount> further;
};

// Sorts values most of which are near their places: each takes as many steps as it is away, as
// long as these are few on average.
void SortNearly(std::span<uint64_t> values);

// Appends what the segment of this prefix has. May throw std::bad_alloc.
void AppendValues(const Segment& segment, uint64_t prefix, uint32_t value_bits, ShardValues& to);

// Those whose first bits are this prefix.
struct ValueRange {
  std::span<const uint64_t> values;
  std::span<const ValueCount> further;
};
ValueRange RangeOf(const ShardValues& values, uint64_t prefix, uint32_t num_bits,
                   uint32_t value_bits);

// Returns a segment with these, which are of its prefix; or none if the system, the limit of the
// memory or that of its side memory refuses it.
std::optional<Segment> MakeSegment(const GrowthLevel& level, uint32_t value_bits,
                                   const ValueRange& contents, uint64_t side_limit_bytes,
                                   GrowingMemory& memory) noexcept;

// What a limit of so many bytes gives a segment; nothing if they are too few.
std::optional<DenseLimit> SegmentLimit(uint64_t num_bytes, uint64_t num_blocks);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_SEGMENT_VALUES_H_
