// The audit of blocks: the rules of each encoding, checked by words.
#include "engine/src/blocks/block_audit.h"

#include <array>
#include <bit>
#include <cstddef>

#include "kernels/plane_block.h"
#include "kernels/run_block.h"
#include "kernels/run_slice.h"

namespace trommel {
namespace {

using kernels::kNumPlanes;
using kernels::kWordSlices;

// The set bits of each byte.
constexpr uint32_t ByteCounts(uint32_t word) {
  word -= word >> 1 & 0x55555555U;
  word = (word & 0x33333333U) + (word >> 2 & 0x33333333U);
  return (word + (word >> 4)) & 0x0f0f0f0fU;
}

// Plain loops over a known number of slices: compilers vectorize them.
BlockAudit AuditPlanes(const uint32_t* presence, const uint32_t* planes, uint64_t num_blocks) {
  BlockAudit audit;
  for (uint64_t b = 0; b < num_blocks;
       ++b, presence += kWordSlices, planes += kNumPlanes * kWordSlices) {
    uint32_t stray = 0;
    uint32_t outside_marker = 0;
    std::array<uint32_t, kWordSlices> keys;
    for (size_t s = 0; s < kWordSlices; ++s) {
      const uint32_t plane0 = planes[s];
      const uint32_t plane1 = planes[kWordSlices + s];
      const uint32_t plane2 = planes[2 * kWordSlices + s];
      stray |= (plane0 | plane1 | plane2) & ~presence[s];
      if (s > 0) outside_marker |= plane0 | plane1 | plane2;
      // A counter is 1 + plane 0 + 2 plane 1 + 4 plane 2: at most 64 in the 8 positions of a byte.
      uint32_t sums = ByteCounts(presence[s]) + ByteCounts(plane0) + 2 * ByteCounts(plane1) +
                      4 * ByteCounts(plane2);
      sums = (sums & 0x00ff00ffU) + (sums >> 8 & 0x00ff00ffU);
      keys[s] = (sums & 0xffffU) + (sums >> 16);
    }
    uint32_t differ = 0;
    for (size_t s = 1; s < kWordSlices; ++s) differ |= keys[s] ^ keys[0];
    static_assert(kNumPlanes == 3, "the loops above spell out three planes");

    if (kernels::IsPromoted(planes)) {
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

// Why one block of runs is not valid; empty if it is.
template <size_t kSlices>
std::string_view ReasonAgainstRuns(const uint32_t* presence, const uint32_t* counts) {
  constexpr size_t kPresenceWords = kernels::PresenceWords(kSlices);
  constexpr size_t kCountWords = kernels::RunBlockWords(kSlices) - kPresenceWords;
  const kernels::RunStrings<kSlices> strings(const_cast<uint32_t*>(counts));
  uint32_t any_count = 0;
  for (size_t w = 0; w < kCountWords; ++w) any_count |= counts[w];
  if (kernels::IsPromotedRunBlock(presence, counts, kSlices)) {
    return any_count == 0 ? "" : "a promoted block has more than its marker among the counts";
  }
  if (strings.HasStrayBits()) return "a block has bits between its run strings";
  const uint32_t num_keys = kernels::KeysOfRuns(strings.Get(0));
  for (size_t s = 0; s < kSlices; ++s) {
    const uint64_t present = kernels::SlicePresence(presence, s, kSlices);
    const uint64_t runs = strings.Get(s);
    if (present == 0 && runs == 0 && num_keys == 0) continue;
    if (kernels::KeysOfRuns(runs) != num_keys || num_keys == 0) {
      return "a block's slices hold different numbers of keys";
    }
    // A run for each present position, from the first bit on, and the closing 1.
    if ((runs & 1) == 0 || std::popcount(runs) != std::popcount(present) + 1) {
      return "a block's runs are not those of its presence bits";
    }
  }
  return "";
}

template <size_t kSlices>
BlockAudit AuditRuns(const uint32_t* presence, const uint32_t* counts, uint64_t num_blocks) {
  constexpr size_t kWords = kernels::RunBlockWords(kSlices);
  BlockAudit audit;
  for (uint64_t b = 0; b < num_blocks; ++b, presence += kWords, counts += kWords) {
    audit.reason = ReasonAgainstRuns<kSlices>(presence, counts);
    if (!audit.reason.empty()) {
      audit.bad_block = b;
      return audit;
    }
    if (kernels::IsPromotedRunBlock(presence, counts, kSlices)) {
      audit.num_promoted += 1;
    } else {
      audit.num_keys +=
          kernels::KeysOfRuns(kernels::RunStrings<kSlices>(const_cast<uint32_t*>(counts)).Get(0));
    }
  }
  return audit;
}

using Audit = BlockAudit (*)(const uint32_t* presence, const uint32_t* counts, uint64_t num_blocks);

Audit AuditFor(const Geometry& geometry) {
  if (geometry.encoding == Encoding::kPlanes) return &AuditPlanes;
  switch (geometry.num_slices) {
    case 4:
      return &AuditRuns<4>;
    case 5:
      return &AuditRuns<5>;
    case 8:
      return &AuditRuns<8>;
    default:
      return &AuditRuns<10>;
  }
}

}  // namespace

BlockAudit AuditBlocks(const BlockStore& store) {
  const Geometry& geometry = store.geometry();
  return AuditFor(geometry)(store.PresenceOf(0), store.CountsOf(0), geometry.num_blocks);
}

}  // namespace trommel
