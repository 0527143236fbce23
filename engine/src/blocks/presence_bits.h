// Presence bits of one block by counter, for who changes it key by key. Bit i of a
// block's presence words is counter i = slice * positions + position (kernels/layout.h).
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_PRESENCE_BITS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_PRESENCE_BITS_H_

#include <cstddef>
#include <cstdint>

#include "kernels/presence_words.h"

namespace trommel {

// Each stores one word, once, and none if the bit is what it should be: queries keep their line.
inline void MarkPresent(size_t counter_idx, uint32_t* presence) {
  uint32_t* word = presence + counter_idx / 32;
  const uint32_t bit = 1U << (counter_idx % 32);
  if ((*word & bit) == 0) kernels::StorePresenceWord(*word | bit, word);
}

inline void MarkAbsent(size_t counter_idx, uint32_t* presence) {
  uint32_t* word = presence + counter_idx / 32;
  const uint32_t bit = 1U << (counter_idx % 32);
  if ((*word & bit) != 0) kernels::StorePresenceWord(*word & ~bit, word);
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_PRESENCE_BITS_H_
