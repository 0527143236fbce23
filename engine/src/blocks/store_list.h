// Queries of several stores at once, the generations of a scalable filter:
//
//   stores      runs  runs | dense | fp16 | runs    neighbours of slices and of one shape are a
//   stretches       1      |  2  |  3   |  4        stretch, each store of fingerprints is one
//
// One kernel call looks a digest up in all stores of a stretch. The stores may differ in their
// numbers of blocks.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_STORE_LIST_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_STORE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/store.h"

namespace trommel {

inline constexpr size_t kMaxListedStores = 255;

// Both take any number of digests. Requires at most kMaxListedStores stores, else aborts. Allocates
// nothing. Thread safety: takes no lock, and may run beside updates of the stores, as their own
// queries may.

// Sets bit i of `maybe_present` iff some store answers "maybe present" to digest i; writes one word
// for every 64 digests, unused high bits zero. Returns how many bits are set.
size_t QueryAny(std::span<const Store* const> stores, std::span<const uint64_t> digests,
                uint64_t* maybe_present);

// Sets oldest[i] to the index of the first store that answers "maybe present" to digest i, or to
// stores.size().
void FindOldest(std::span<const Store* const> stores, std::span<const uint64_t> digests,
                uint8_t* oldest);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_STORE_LIST_H_
