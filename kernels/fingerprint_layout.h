// Fingerprint blocks: a block is one cache line that keeps a short part of each key's digest, its
// *fingerprint*, instead of presence bits. Addressing and layout, which kernels, reference and file
// format share.
//
// Block and key come from one prefix of the digest: of the 128-bit product digest x num_blocks the
// high word is the block, and the top bits of the low word (the *rest*) are the key within it.
//
//   digest x num_blocks  | block index (64) | rest (64) |
//                                           | key |        fingerprint_bits, b of them
//
// With twice the blocks the rest's top bit becomes the block index's last: a filter can double and
// fold key by key, without its digests. Doubling takes a bit from every key, so b counts down.
//
// *Slots of 16 bits* (32 in a block; b from 16 down to 8): the key itself, in any slot; 0 is a free
// slot. Keys whose low byte is 0x00 or 0xff change their last bit (WideKey): so no key is 0, and
// values with the low byte 0xff are free for marks. The low byte decides, because no doubling
// removes it.
//
//   u16   | slot 0 | slot 1 | ... | slot 30 | slot 31 or a mark |
//
// Dense blocks, whose slots are in bins: dense_layout.h.
#ifndef TROMMEL_KERNELS_FINGERPRINT_LAYOUT_H_
#define TROMMEL_KERNELS_FINGERPRINT_LAYOUT_H_

#include <cstddef>
#include <cstdint>

namespace trommel::kernels {

inline constexpr size_t kFingerprintBlockWords = 16;

// Neighbouring blocks that share an overflow line, and a version (group_versions.h).
inline constexpr size_t kGroupBlocks = 64;

// A view of a filter's blocks, 64-byte aligned.
struct FingerprintBlocks {
  uint32_t* words;
  uint64_t num_blocks;
  uint32_t fingerprint_bits;
  uint64_t* versions = nullptr;  // of groups; null unless queries run beside updates
  // In dense filters a digest's top bits name its range of blocks, of which each has a lock of its
  // own; 0 with slots of 16 bits, where ranges are whole groups.
  uint32_t range_bits = 0;
  // How many there are, so that queries may look at all of them at once; 0 if they must not.
  uint64_t num_versions = 0;
};

constexpr uint32_t* FingerprintBlockAt(const FingerprintBlocks& blocks, uint64_t block_idx) {
  return blocks.words + block_idx * kFingerprintBlockWords;
}

// Where a digest belongs.
struct FingerprintPlace {
  uint64_t block_idx;
  uint64_t rest;
};

constexpr FingerprintPlace FingerprintPlaceOf(uint64_t digest, uint64_t num_blocks) {
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(digest) * num_blocks;
  return {static_cast<uint64_t>(product >> 64), static_cast<uint64_t>(product)};
}

// --- Slots of 16 bits.

inline constexpr size_t kWideSlots = 32;
inline constexpr uint32_t kMaxWideBits = 16;
inline constexpr uint32_t kMinWideBits = 8;
// Values of slot 31 that are no keys. The block's other keys are in its overflow line, or in the
// side table; or the block shows every key, and further copies are in the side table.
inline constexpr uint32_t kLineMark = 0xffff;
inline constexpr uint32_t kSpillMark = 0x00ff;
inline constexpr uint32_t kCopiesMark = 0x01ff;

// Changes the last bit of a key whose low byte is 0x00 or 0xff.
constexpr uint32_t UnreservedWideKey(uint32_t key) {
  return key ^ static_cast<uint32_t>(((key + 1) & 0xfe) == 0);
}

constexpr uint32_t WideKey(uint64_t rest, uint32_t fingerprint_bits) {
  return UnreservedWideKey(static_cast<uint32_t>(rest >> (64 - fingerprint_bits)));
}

constexpr uint32_t WideSlot(const uint32_t* block, size_t slot_idx) {
  return block[slot_idx / 2] >> (slot_idx % 2 * 16) & 0xffff;
}

// Is slot 31 a mark?
constexpr bool IsMarkedWide(const uint32_t* block) {
  return (block[kFingerprintBlockWords - 1] >> 16 & 0xff) == 0xff;
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_FINGERPRINT_LAYOUT_H_
