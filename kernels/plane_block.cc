// One block in the plane encoding, counter by counter.
#include "kernels/plane_block.h"

#include <algorithm>

#include "kernels/presence_words.h"

namespace trommel::kernels {

void MarkPromoted(uint32_t* planes) {
  std::fill_n(planes, kNumPlanes * kWordSlices, 0U);
  for (size_t p = 0; p < kNumPlanes; ++p) planes[p * kWordSlices] = ~0U;
}

uint32_t PlaneCountAt(const uint32_t* presence, const uint32_t* planes, size_t slice_idx,
                      uint32_t position) {
  if ((presence[slice_idx] >> position & 1) == 0) return 0;
  uint32_t excess = 0;
  for (size_t p = 0; p < kNumPlanes; ++p) {
    excess |= (planes[p * kWordSlices + slice_idx] >> position & 1) << p;
  }
  return excess + 1;
}

void DecodePlanes(const uint32_t* presence, const uint32_t* planes, std::span<uint64_t> counters) {
  for (size_t s = 0; s < kWordSlices; ++s) {
    for (uint32_t position = 0; position < kPositions; ++position) {
      counters[s * kPositions + position] = PlaneCountAt(presence, planes, s, position);
    }
  }
}

bool FitsPlanes(std::span<const uint64_t> counters) {
  const auto block = counters.first(kWordSlices * kPositions);
  const auto slice0 = counters.first(kPositions);
  const auto is_full = [](uint64_t c) { return c == kMaxPlaneCount; };
  return std::ranges::all_of(block, [](uint64_t c) { return c <= kMaxPlaneCount; }) &&
         !std::ranges::all_of(slice0, is_full);  // that state is the marker
}

bool HasDrainedForPlanes(std::span<const uint64_t> counters) {
  return std::ranges::all_of(counters.first(kWordSlices * kPositions),
                             [](uint64_t c) { return c <= kMaxDrainedCount; });
}

void EncodePlanes(std::span<const uint64_t> counters, uint32_t* presence, uint32_t* planes) {
  std::fill_n(planes, kNumPlanes * kWordSlices, 0U);
  for (size_t s = 0; s < kWordSlices; ++s) {
    uint32_t present = 0;
    for (uint32_t position = 0; position < kPositions; ++position) {
      const auto count = static_cast<uint32_t>(counters[s * kPositions + position]);
      if (count == 0) continue;
      present |= 1U << position;
      for (size_t p = 0; p < kNumPlanes; ++p) {
        planes[p * kWordSlices + s] |= ((count - 1) >> p & 1) << position;
      }
    }
    StorePresenceWord(present, presence + s);  // once: queries may read it meanwhile
  }
}

}  // namespace trommel::kernels
