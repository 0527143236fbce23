#include "kernels/wide_block.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/presence_words.h"

namespace trommel::kernels {

size_t KeysOfWide(const uint32_t* block, std::span<uint32_t, kWideSlots> keys) {
  const size_t num_slots = kWideSlots - (IsMarkedWide(block) ? 1 : 0);
  size_t num_keys = 0;
  for (size_t slot_idx = 0; slot_idx < num_slots; ++slot_idx) {
    const uint32_t key = WideSlot(block, slot_idx);
    keys[num_keys] = key;  // a free slot's is overwritten
    num_keys += static_cast<size_t>(key != 0);
  }
  return num_keys;
}

size_t DecodeWide(const uint32_t* block, std::span<uint32_t, kWideSlots> keys) {
  const size_t num_keys = KeysOfWide(block, keys);
  std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(num_keys));
  return num_keys;
}

void EncodeWide(std::span<const uint32_t> keys, uint32_t mark, uint32_t* block) {
  const auto slot = [&](size_t slot_idx) -> uint32_t {
    if (slot_idx < keys.size()) return keys[slot_idx];
    return slot_idx == kWideSlots - 1 ? mark : 0;
  };
  for (size_t i = 0; i < kFingerprintBlockWords; ++i) {
    // Once: queries may read it meanwhile.
    StorePresenceWord(slot(2 * i) | slot(2 * i + 1) << 16, block + i);
  }
}

}  // namespace trommel::kernels
