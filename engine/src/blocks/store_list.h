// Queries of several block stores of one shape at once: the generations of a scalable filter, the
// buckets of a window. The stores may differ in their numbers of blocks only.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_STORE_LIST_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_STORE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/block_store.h"

namespace trommel {

inline constexpr size_t kMaxListedStores = 255;

// Both take any number of digests. Requires at most kMaxListedStores stores, all with the same
// encoding and num_slices, else aborts. Allocates nothing. Thread safety: takes no lock, and may
// run beside updates of the stores, as BlockStore's queries may.

// Sets bit i of `maybe_present` iff some store shows digest i; writes one word for every 64
// digests, unused high bits zero. Returns how many bits are set.
size_t QueryAny(std::span<const BlockStore* const> stores, std::span<const uint64_t> digests,
                uint64_t* maybe_present);

// Sets oldest[i] to the index of the first store that shows digest i, or to stores.size().
void FindOldest(std::span<const BlockStore* const> stores, std::span<const uint64_t> digests,
                uint8_t* oldest);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_STORE_LIST_H_
