// Blocks of fingerprints in slots of 8 bits, taken apart and put together (fingerprint_layout.h).
#ifndef TROMMEL_KERNELS_NARROW_BLOCK_H_
#define TROMMEL_KERNELS_NARROW_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/fingerprint_layout.h"

namespace trommel::kernels {

// Keys are of `fingerprint_bits` bits, ascending; `keys` may have equal ones.

bool IsPromotedNarrow(const uint32_t* block);
// Bit b is set if bin b is not cut off: all bins of a block that is not promoted.
uint64_t ShownBins(const uint32_t* block);
// Writes the keys that the block shows to the front of `keys`; returns how many there are.
size_t DecodeNarrow(const uint32_t* block, uint32_t fingerprint_bits,
                    std::span<uint32_t, kNarrowSlots> keys);
// Do at most 48 keys, and at most 31 in each half of the bins, make the block?
bool FitsNarrow(std::span<const uint32_t> keys, uint32_t fingerprint_bits);
// Requires keys that fit.
void EncodeNarrow(std::span<const uint32_t> keys, uint32_t fingerprint_bits, uint32_t* block);
// A promoted block that shows keys which differ, bin by bin as far as there is space: in each word
// the bins from the first that does not fit on are cut off, and have no closing 1. Returns
// ShownBins.
uint64_t EncodePromotedNarrow(std::span<const uint32_t> keys, uint32_t fingerprint_bits,
                              uint32_t* block);

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_NARROW_BLOCK_H_
