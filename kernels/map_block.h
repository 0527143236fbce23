// One block of pairs (map_layout.h), slot by slot. Changes are beside readers: each store is one of
// a whole word (presence_words.h), within a GroupChange.
#ifndef TROMMEL_KERNELS_MAP_BLOCK_H_
#define TROMMEL_KERNELS_MAP_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "kernels/map_layout.h"
#include "kernels/presence_words.h"

namespace trommel::kernels {

// The byte at which the last 8 bits of slots of 24 bits begin.
inline constexpr uint32_t kLongSlotBytes = 2 * kLongSlots;

// Fingerprint and column; 0 if the slot is free. Thread safety: beside a writer.
inline uint32_t MapSlot(const uint32_t* block, const MapBlocks& blocks, uint32_t slot_idx) {
  const uint32_t lane = LoadPresenceWord(block + slot_idx / 2) >> (slot_idx % 2 * 16) & 0xffff;
  if (blocks.slot_bits == kShortSlotBits) return lane;
  const uint32_t byte = kLongSlotBytes + slot_idx;
  return lane << 8 | (LoadPresenceWord(block + byte / 4) >> (byte % 4 * 8) & 0xff);
}

inline void SetMapSlot(uint32_t* block, const MapBlocks& blocks, uint32_t slot_idx, uint32_t slot) {
  const auto replace = [block](uint32_t word_idx, uint32_t mask, uint32_t bits) {
    StorePresenceWord((LoadPresenceWord(block + word_idx) & ~mask) | bits, block + word_idx);
  };
  const uint32_t shift = slot_idx % 2 * 16;
  if (blocks.slot_bits == kShortSlotBits) {
    replace(slot_idx / 2, 0xffffU << shift, slot << shift);
    return;
  }
  replace(slot_idx / 2, 0xffffU << shift, slot >> 8 << shift);
  const uint32_t byte = kLongSlotBytes + slot_idx;
  replace(byte / 4, 0xffU << byte % 4 * 8, (slot & 0xff) << byte % 4 * 8);
}

inline void SetHiddenFlag(uint32_t* block, const MapBlocks& blocks, bool is_set) {
  const uint32_t word = LoadPresenceWord(block + kMapBlockWords - 1) & ~blocks.flags_mask();
  StorePresenceWord(word | (is_set ? blocks.hidden_flag() : 0), block + kMapBlockWords - 1);
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_MAP_BLOCK_H_
