// Blocks of pairs (map_layout.h): a block's slots compared with a fingerprint, for one key or a
// batch. Included once per target.
//
// A batch finds the places of its digests ahead and prefetches blocks and versions:
//
//   ring   | key i: block, version, fingerprint | key i + 1 | .. | key i + kMapDistance - 1 |
#if defined(TROMMEL_KERNELS_MAP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_MAP_INL_H_
#undef TROMMEL_KERNELS_MAP_INL_H_
#else
#define TROMMEL_KERNELS_MAP_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/map_layout.h"
#include "kernels/presence_words.h"
#include "kernels/wide_slots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

inline constexpr size_t kMapDistance = 32;
static_assert(std::has_single_bit(kMapDistance));

// Of two bits per slot, the lower ones, side by side.
HWY_INLINE uint32_t EvenBits(uint64_t bits) {
  bits &= 0x5555555555555555U;
  bits = (bits | bits >> 1) & 0x3333333333333333U;
  bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0fU;
  bits = (bits | bits >> 4) & 0x00ff00ff00ff00ffU;
  bits = (bits | bits >> 8) & 0x0000ffff0000ffffU;
  return static_cast<uint32_t>(bits | bits >> 16);
}

// Bit i: the i-th 16 bits of the block, under the mask, are `lane`.
HWY_INLINE uint32_t EqualMapLanes(const uint32_t* block, uint32_t lane, uint32_t mask) {
#if HWY_TARGET == HWY_SCALAR
  uint32_t lanes = 0;
  for (size_t i = 0; i < kMapBlockWords; ++i) {
    const uint32_t differing = (LoadPresenceWord(block + i) ^ WidePair(lane)) & WidePair(mask);
    lanes |= static_cast<uint32_t>((differing & 0xffff) == 0) << (2 * i);
    lanes |= static_cast<uint32_t>((differing >> 16) == 0) << (2 * i + 1);
  }
  return lanes;
#else
  const auto wanted = hn::Set(WideSlotTag(), static_cast<uint16_t>(lane));
  const auto masks = hn::Set(WideSlotTag(), static_cast<uint16_t>(mask));
  const size_t step = hn::Lanes(WideWordTag());
  uint64_t lanes = 0;
  for (size_t i = 0; i < kMapBlockWords; i += step) {
    const uint64_t bits = WideMaskBitsOf(hn::Eq(hn::And(LoadWideSlots(block, i), masks), wanted));
    lanes |= bits << (i * 2 * kWideMaskBits);
  }
  return kWideMaskBits == 2 ? EvenBits(lanes) : static_cast<uint32_t>(lanes);
#endif
}

HWY_INLINE uint32_t FlagsOfMapBlock(const uint32_t* block, uint32_t flags_mask) {
  return (LoadPresenceWord(block + kMapBlockWords - 1) & flags_mask) != 0 ? kMapFlagsBit : 0;
}

HWY_NOINLINE uint32_t EqualMapSlots(const uint32_t* block, const MapBlocks& blocks, uint32_t lane,
                                    uint32_t mask) {
  const uint32_t slots = (kMapFlagsBit - 1) >> (31 - blocks.num_slots());
  return (EqualMapLanes(block, lane, mask) & slots) | FlagsOfMapBlock(block, blocks.flags_mask());
}

void MatchMapKeys(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                  const MapBlocks& blocks_in_memory, uint64_t* HWY_RESTRICT versions,
                  uint32_t* HWY_RESTRICT matches) {
  const MapBlocks blocks = blocks_in_memory;
  const FingerprintBlocks& lines = blocks.lines;
  const uint32_t slots = (kMapFlagsBit - 1) >> (31 - blocks.num_slots());
  const uint32_t mask = blocks.fingerprint_mask();
  const uint32_t flags_mask = blocks.flags_mask();
  const uint32_t* places[kMapDistance];
  const uint64_t* versions_at[kMapDistance];
  uint32_t lanes[kMapDistance];
  const auto fetch = [&](size_t i) HWY_ATTR {
    const FingerprintPlace place = FingerprintPlaceOf(digests[i], lines.num_blocks);
    const size_t k = i % kMapDistance;
    places[k] = FingerprintBlockAt(lines, place.block_idx);
    versions_at[k] = lines.versions + place.block_idx / kGroupBlocks;
    lanes[k] = blocks.lane_of(MapFingerprint(place.rest, lines.fingerprint_bits));
    hwy::Prefetch(places[k]);
    hwy::Prefetch(versions_at[k]);
  };
  const size_t lead = HWY_MIN(num_digests, kMapDistance);
  for (size_t i = 0; i < lead; ++i) fetch(i);
  for (size_t i = 0; i < num_digests; ++i) {
    const size_t k = i % kMapDistance;
    versions[i] = __atomic_load_n(versions_at[k], __ATOMIC_ACQUIRE);
    matches[i] =
        (EqualMapLanes(places[k], lanes[k], mask) & slots) | FlagsOfMapBlock(places[k], flags_mask);
    if (HWY_LIKELY(i + kMapDistance < num_digests)) fetch(i + kMapDistance);
  }
}

}  // namespace

void AddMapForTarget(KernelTable& kernels) {
  kernels.map = {.match = &MatchMapKeys, .equal_slots = &EqualMapSlots};
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
