// Blocks of pairs: which columns have a key? A pair is a fingerprint of the key, and a column; all
// pairs of a key are in one block, which is one cache line. Addressing and layout, which kernels,
// reference and engine share.
//
// Block and fingerprint come from one prefix of the digest, as in fingerprint_layout.h: of the
// product digest x num_blocks the high word is the block, and the top bits of the low word are the
// fingerprint.
//
//   slot, 16, 20 or 24 bits  | fingerprint, b bits | column       |     0: the slot is free
//                            | fingerprint, b bits | 1 1 1 .. 1 1 |     mark: the fingerprint's
//                                                                       columns are elsewhere
//
// A fingerprint is not 0, so no slot that is in use is. Slots are in no order. The first 16 bits of
// all slots lie side by side, so that one comparison finds a fingerprint in all of them:
//
//   16 bits   u16 | slot 0 | slot 1 | .. | slot 30 |                                u16 | flags |
//   20 bits   u16 | slot 0 | slot 1 | .. | slot 24 | last 4 bits of slot 0 .. 24 | 0 | u8 | flags |
//   24 bits   u16 | slot 0 | slot 1 | .. | slot 20 | last 8 bits of slot 0 .. 20 |   u8 | flags |
//
// Flags are 0, or 1: the block may have pairs of fingerprints for which it has no slot.
#ifndef TROMMEL_KERNELS_MAP_LAYOUT_H_
#define TROMMEL_KERNELS_MAP_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "kernels/fingerprint_layout.h"

namespace trommel::kernels {

inline constexpr uint32_t kMapBlockWords = 16;
inline constexpr uint32_t kLaneBits = 16;  // of each slot, side by side
inline constexpr uint32_t kLongestMapSlot = 24;
inline constexpr uint32_t kMaxMapFingerprintBits = 16;

// Slots of a block, by their bits.
constexpr uint32_t MapSlotsOf(uint32_t slot_bits) {
  return slot_bits == 16 ? 31 : slot_bits == 20 ? 25 : 21;
}

// A view of a map's blocks, 64-byte aligned. Groups of kGroupBlocks blocks have a version each
// (group_versions.h).
struct MapBlocks {
  FingerprintBlocks lines;
  uint32_t slot_bits;  // 16, 20 or 24

  constexpr uint32_t num_slots() const { return MapSlotsOf(slot_bits); }
  constexpr uint32_t column_bits() const { return slot_bits - lines.fingerprint_bits; }
  // The column that is a mark.
  constexpr uint32_t mark() const { return (1U << column_bits()) - 1; }
  // Where the fingerprint is in the first 16 bits of a slot, and its place there.
  constexpr uint32_t fingerprint_mask() const {
    return 0xffff & ~((1U << (16 - lines.fingerprint_bits)) - 1);
  }
  constexpr uint32_t lane_of(uint32_t fingerprint) const {
    return fingerprint << (16 - lines.fingerprint_bits);
  }
  // The part of a block's last word that is its flags.
  constexpr uint32_t flags_mask() const {
    return slot_bits == kLaneBits ? 0xffff0000U : 0xff000000U;
  }
  constexpr uint32_t hidden_flag() const { return slot_bits == kLaneBits ? 1U << 16 : 1U << 24; }
};

// A digest's fingerprint; never 0.
constexpr uint32_t MapFingerprint(uint64_t rest, uint32_t fingerprint_bits) {
  const auto fingerprint = static_cast<uint32_t>(rest >> (64 - fingerprint_bits));
  return fingerprint + static_cast<uint32_t>(fingerprint == 0);
}

// What a query finds in a block: bit i is set if slot i has the fingerprint; bit 31, if the block
// has flags.
inline constexpr uint32_t kMapFlagsBit = 1U << 31;

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_MAP_LAYOUT_H_
