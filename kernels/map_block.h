// One block of pairs (map_layout.h), slot by slot. Changes are beside readers: each store is one of
// a whole word (presence_words.h), within a GroupChange.
#ifndef TROMMEL_KERNELS_MAP_BLOCK_H_
#define TROMMEL_KERNELS_MAP_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "kernels/map_layout.h"
#include "kernels/presence_words.h"

namespace trommel::kernels {

// Where the last bits of a slot of more than 16 bits are.
struct SlotEnd {
  SlotEnd(const MapBlocks& blocks, uint32_t slot_idx) : num_bits(blocks.slot_bits - kLaneBits) {
    const uint32_t bit = blocks.num_slots() * kLaneBits + slot_idx * num_bits;
    word_idx = bit / 32;
    shift = bit % 32;
  }
  uint32_t mask() const { return (1U << num_bits) - 1; }

  uint32_t num_bits;
  uint32_t word_idx;
  uint32_t shift;
};

// Fingerprint and column; 0 if the slot is free. Thread safety: beside a writer.
inline uint32_t MapSlot(const uint32_t* block, const MapBlocks& blocks, uint32_t slot_idx) {
  const uint32_t lane = LoadPresenceWord(block + slot_idx / 2) >> (slot_idx % 2 * 16) & 0xffff;
  if (blocks.slot_bits == kLaneBits) return lane;
  const SlotEnd end(blocks, slot_idx);
  return lane << end.num_bits | (LoadPresenceWord(block + end.word_idx) >> end.shift & end.mask());
}

inline void SetMapSlot(uint32_t* block, const MapBlocks& blocks, uint32_t slot_idx, uint32_t slot) {
  const auto replace = [block](uint32_t word_idx, uint32_t shift, uint32_t mask, uint32_t bits) {
    const uint32_t others = LoadPresenceWord(block + word_idx) & ~(mask << shift);
    StorePresenceWord(others | bits << shift, block + word_idx);
  };
  const uint32_t num_more = blocks.slot_bits - kLaneBits;
  replace(slot_idx / 2, slot_idx % 2 * 16, 0xffff, slot >> num_more);
  if (num_more == 0) return;
  const SlotEnd end(blocks, slot_idx);
  replace(end.word_idx, end.shift, end.mask(), slot & end.mask());
}

inline void SetHiddenFlag(uint32_t* block, const MapBlocks& blocks, bool is_set) {
  const uint32_t word = LoadPresenceWord(block + kMapBlockWords - 1) & ~blocks.flags_mask();
  StorePresenceWord(word | (is_set ? blocks.hidden_flag() : 0), block + kMapBlockWords - 1);
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_MAP_BLOCK_H_
