// One block in the plane encoding, counter by counter: how the engine decodes and encodes the
// single blocks that kernels cannot update.
//
// A block whose counters do not all fit (see kMaxPlaneCount) is *promoted*: its counters are in the
// side table, its presence bits stay here, and its planes are a marker that no other block can
// have: all planes of slice 0 are ones. (A block that would reach that state by counting, with 256
// keys that fill every counter of slice 0, is promoted by definition.) The other planes of a
// promoted block are 0.
#ifndef TROMMEL_KERNELS_PLANE_BLOCK_H_
#define TROMMEL_KERNELS_PLANE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/layout.h"

namespace trommel::kernels {

// `planes` points at the block's kNumPlanes * kWordSlices words.
inline bool IsPromoted(const uint32_t* planes) {
  uint32_t all = ~0U;
  for (size_t p = 0; p < kNumPlanes; ++p) all &= planes[p * kWordSlices];
  return all == ~0U;
}

void MarkPromoted(uint32_t* planes);

// counters[s * kPositions + position], for each of the kWordSlices * kPositions positions.
void DecodePlanes(const uint32_t* presence, const uint32_t* planes, std::span<uint64_t> counters);

// Can EncodePlanes encode these counters?
bool FitsPlanes(std::span<const uint64_t> counters);

// Should a promoted block with these counters return to planes? If none is above kMaxDrainedCount:
// stricter than FitsPlanes, so that a block near the limit does not change with every other key.
inline constexpr uint32_t kMaxDrainedCount = kMaxPlaneCount - 2;
bool HasDrainedForPlanes(std::span<const uint64_t> counters);

// Writes the block's presence and planes. Requires FitsPlanes.
void EncodePlanes(std::span<const uint64_t> counters, uint32_t* presence, uint32_t* planes);

// The counter at one position. Requires a block that is not promoted.
uint32_t PlaneCountAt(const uint32_t* presence, const uint32_t* planes, size_t slice_idx,
                      uint32_t position);

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_PLANE_BLOCK_H_
