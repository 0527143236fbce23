// Blocks of fingerprints in slots of 16 bits, taken apart and put together (fingerprint_layout.h).
#ifndef TROMMEL_KERNELS_WIDE_BLOCK_H_
#define TROMMEL_KERNELS_WIDE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/fingerprint_layout.h"

namespace trommel::kernels {

// Writes the keys of the block's slots, one for each slot that is neither free nor a mark, to the
// front of `keys`; returns how many there are. DecodeWide's ascend.
size_t KeysOfWide(const uint32_t* block, std::span<uint32_t, kWideSlots> keys);
size_t DecodeWide(const uint32_t* block, std::span<uint32_t, kWideSlots> keys);

// Fills the block's slots with these keys in order, and slot 31 with `mark` unless that is 0.
// Requires at most 32 keys, 31 with a mark.
void EncodeWide(std::span<const uint32_t> keys, uint32_t mark, uint32_t* block);

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_WIDE_BLOCK_H_
