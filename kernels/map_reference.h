// The specification of blocks of pairs (map_layout.h): slots one by one, by their definition. The
// kernels are right iff they find what this finds. Slow.
#ifndef TROMMEL_KERNELS_MAP_REFERENCE_H_
#define TROMMEL_KERNELS_MAP_REFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/map_layout.h"

namespace trommel::kernels {

// The slot's bits: fingerprint and column; 0 if it is free.
uint32_t ReferenceMapSlot(const MapBlocks& blocks, uint64_t block_idx, uint32_t slot_idx);
void SetReferenceMapSlot(const MapBlocks& blocks, uint64_t block_idx, uint32_t slot_idx,
                         uint32_t slot);
void SetReferenceMapFlag(const MapBlocks& blocks, uint64_t block_idx, bool is_set);

// What a query of the digest finds in its block.
uint32_t ReferenceMapMatch(const MapBlocks& blocks, uint64_t digest);

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_MAP_REFERENCE_H_
