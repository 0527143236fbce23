// Stamped blocks: a block is one cache line of fingerprints, each with the span of time (*bucket*)
// in which it was inserted last. Addressing and layout, which kernels, engine and file format
// share.
//
// Block and fingerprint come from one prefix of the digest, as in fingerprint_layout.h; fingerprint
// 0, which is a free slot, becomes 1.
//
//   digest x num_blocks  | block index (64) | fingerprint (12 or 16) | ...
//
// A slot keeps a *stamp* instead of the bucket's number: the bucket less the first bucket of the
// block's group of 64 blocks, which the group's StampedGroup says. So a slot's bucket is known
// exactly, however long ago it was stored: stamps never wrap around. A writer that needs a stamp
// beyond the largest frees the group's expired slots and raises its first bucket (a *sweep*, of 4
// KB); no sweep has a deadline, and a leap of time needs none.
//
//   *Slots of 16 bits*, 32 in a block, stamps 0 .. 15:
//     u16   | fingerprint (12) | stamp (4) |          0 is a free slot
//   *Slots of 24 bits*, 21 in a block, stamps 0 .. 255:
//     u16   | fingerprint 0 | ... | fingerprint 20 |  u8 | stamp 0 | ... | stamp 20 | 0 |
//
// A block shows a fingerprint in at most one slot, with its youngest bucket. Slots whose bucket has
// expired are as good as free for an insertion.
#ifndef TROMMEL_KERNELS_STAMPED_LAYOUT_H_
#define TROMMEL_KERNELS_STAMPED_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "kernels/fingerprint_layout.h"
#include "kernels/presence_words.h"

namespace trommel::kernels {

// What 64 neighbouring blocks share. Changed within a GroupChange only; loaded and stored word by
// word, because queries read it beside writers.
struct StampedGroup {
  uint64_t version;       // group_versions.h
  uint64_t first_bucket;  // of the group's slots and line entries: a stamp of 0
  uint64_t overflow;      // bit b: block b has keys that it shows in no slot
  uint64_t copied;        // bit b: the side table has keys or further copies of block b
};
static_assert(sizeof(StampedGroup) == 32);

inline uint64_t LoadGroupWord(const uint64_t& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
inline void StoreGroupWord(uint64_t value, uint64_t& word) {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

// A window's blocks, 64-byte aligned, and the moment of a call: keys are inserted into `bucket` or
// erased from it, buckets from first_live on are present to queries, and slots of buckets before
// first_kept may be overwritten. first_kept <= first_live <= bucket.
struct StampedBlocks {
  uint32_t* words;
  uint64_t num_blocks;
  StampedGroup* groups;
  uint64_t bucket = 0;
  uint64_t first_live = 0;
  uint64_t first_kept = 0;
};

inline constexpr size_t kStampedSlots16 = 32;
inline constexpr size_t kStampedSlots24 = 21;
inline constexpr uint32_t kMaxStamp16 = 15;
inline constexpr uint32_t kMaxStamp24 = 255;
inline constexpr uint32_t kStampedBits16 = 12;  // of a fingerprint
inline constexpr uint32_t kStampedBits24 = 16;

// One of the two shapes.
struct StampedShape {
  uint32_t fingerprint_bits;
  uint32_t num_slots;
  uint32_t max_stamp;

  friend constexpr bool operator==(const StampedShape&, const StampedShape&) = default;
};
inline constexpr StampedShape kStampedShape16 = {kStampedBits16, kStampedSlots16, kMaxStamp16};
inline constexpr StampedShape kStampedShape24 = {kStampedBits24, kStampedSlots24, kMaxStamp24};

constexpr uint32_t StampedFingerprint(uint64_t rest, uint32_t fingerprint_bits) {
  const auto fingerprint = static_cast<uint32_t>(rest >> (64 - fingerprint_bits));
  return fingerprint + static_cast<uint32_t>(fingerprint == 0);
}

// `bucket` as a stamp, for comparisons: buckets before the group's first are 0. Without a branch:
// which groups have been swept cannot be predicted (6.4 ns per query instead of 2.9).
constexpr uint64_t StampAfter(uint64_t bucket, uint64_t first_bucket) {
  const uint64_t is_not_after = uint64_t{bucket <= first_bucket};
  return (bucket - first_bucket) & (is_not_after - 1);
}

// A slot: fingerprint 0 is free.
struct StampedSlot {
  uint32_t fingerprint = 0;
  uint32_t stamp = 0;

  friend constexpr bool operator==(const StampedSlot&, const StampedSlot&) = default;
};

// Slots of 16 bits as numbers.
constexpr uint32_t StampedWord16(const StampedSlot& slot) {
  return slot.fingerprint << 4 | slot.stamp;
}

inline constexpr size_t kStampBytesAt = 2 * kStampedSlots24;  // the first stamp's byte, slots of 24

inline uint32_t LoadStamp24(const uint32_t* block, size_t slot_idx) {
  const size_t at = kStampBytesAt + slot_idx;
  return LoadPresenceWord(block + at / 4) >> (at % 4 * 8) & 0xff;
}

// One slot, read and written as words of 32 bits.
inline StampedSlot LoadSlot16(const uint32_t* block, size_t slot_idx) {
  const uint32_t word = LoadPresenceWord(block + slot_idx / 2) >> (slot_idx % 2 * 16) & 0xffff;
  return {word >> 4, word & 15};
}
inline StampedSlot LoadSlot24(const uint32_t* block, size_t slot_idx) {
  const uint32_t word = LoadPresenceWord(block + slot_idx / 2);
  return {word >> (slot_idx % 2 * 16) & 0xffff, LoadStamp24(block, slot_idx)};
}
inline void ReplaceBits(uint32_t mask, uint32_t bits, uint32_t* word) {
  StorePresenceWord((LoadPresenceWord(word) & ~mask) | bits, word);
}
inline void StoreHalf(uint32_t value, size_t half_idx, uint32_t* block) {
  const size_t shift = half_idx % 2 * 16;
  ReplaceBits(0xffffU << shift, value << shift, block + half_idx / 2);
}
inline void StoreSlot16(const StampedSlot& slot, size_t slot_idx, uint32_t* block) {
  StoreHalf(StampedWord16(slot), slot_idx, block);
}
inline void StoreSlot24(const StampedSlot& slot, size_t slot_idx, uint32_t* block) {
  const size_t at = kStampBytesAt + slot_idx;
  ReplaceBits(0xffU << (at % 4 * 8), slot.stamp << (at % 4 * 8), block + at / 4);
  StoreHalf(slot.fingerprint, slot_idx, block);
}

inline StampedSlot LoadSlot(const StampedShape& shape, const uint32_t* block, size_t slot_idx) {
  return shape == kStampedShape16 ? LoadSlot16(block, slot_idx) : LoadSlot24(block, slot_idx);
}
inline void StoreSlot(const StampedShape& shape, const StampedSlot& slot, size_t slot_idx,
                      uint32_t* block) {
  shape == kStampedShape16 ? StoreSlot16(slot, slot_idx, block)
                           : StoreSlot24(slot, slot_idx, block);
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_STAMPED_LAYOUT_H_
