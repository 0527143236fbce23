// The audit of planes: every rule of the block, tested by words.
#include "engine/src/block_audit.h"

#include <array>
#include <cstddef>

#include "kernels/plane_block.h"

namespace trommel {
namespace {

using kernels::kNumPlanes;

// The set bits of each byte.
constexpr uint32_t ByteCounts(uint32_t word) {
  word -= word >> 1 & 0x55555555U;
  word = (word & 0x33333333U) + (word >> 2 & 0x33333333U);
  return (word + (word >> 4)) & 0x0f0f0f0fU;
}

// Plain loops over a known number of slices: compilers make vectors of them.
template <size_t kSlices>
BlockAudit AuditPlanes(const uint32_t* presence, const uint32_t* planes, uint64_t num_blocks) {
  BlockAudit audit;
  for (uint64_t b = 0; b < num_blocks; ++b, presence += kSlices, planes += kNumPlanes * kSlices) {
    uint32_t stray = 0;
    uint32_t outside_marker = 0;
    std::array<uint32_t, kSlices> keys;
    for (size_t s = 0; s < kSlices; ++s) {
      const uint32_t plane0 = planes[s];
      const uint32_t plane1 = planes[kSlices + s];
      const uint32_t plane2 = planes[2 * kSlices + s];
      stray |= (plane0 | plane1 | plane2) & ~presence[s];
      if (s > 0) outside_marker |= plane0 | plane1 | plane2;
      // A counter is 1 + plane 0 + 2 plane 1 + 4 plane 2: at most 64 in the 8 positions of a byte.
      uint32_t sums = ByteCounts(presence[s]) + ByteCounts(plane0) + 2 * ByteCounts(plane1) +
                      4 * ByteCounts(plane2);
      sums = (sums & 0x00ff00ffU) + (sums >> 8 & 0x00ff00ffU);
      keys[s] = (sums & 0xffffU) + (sums >> 16);
    }
    uint32_t differ = 0;
    for (size_t s = 1; s < kSlices; ++s) differ |= keys[s] ^ keys[0];
    static_assert(kNumPlanes == 3, "the loops above spell out three planes");

    if (kernels::IsPromoted(planes, kSlices)) {
      audit.num_promoted += 1;
      if (outside_marker == 0) continue;
      audit.reason = "a promoted block has more than its marker among the counts";
    } else if (stray != 0) {
      audit.reason = "a block counts keys where it has no presence bit";
    } else if (differ != 0) {
      audit.reason = "a block's slices hold different numbers of keys";
    } else {
      audit.num_keys += keys[0];
      continue;
    }
    audit.bad_block = b;
    return audit;
  }
  return audit;
}

}  // namespace

BlockAudit AuditBlocks(const BlockStore& store) {
  const Geometry& geometry = store.geometry();
  switch (geometry.encoding) {
    case Encoding::kPlanes:
    case Encoding::kRuns:  // not yet
      break;
  }
  const auto run = geometry.num_slices == 8 ? &AuditPlanes<8> : &AuditPlanes<16>;
  return run(store.PresenceOf(0), store.CountsOf(0), geometry.num_blocks);
}

}  // namespace trommel
