// Which generation a key is in, exactly, for updates: what queries of fingerprints cannot decide is
// decided under the key's lock.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_EXACT_HOMES_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_EXACT_HOMES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/scalable/generation_store.h"
#include "engine/src/sync/range_locks.h"

namespace trommel {

// What is made of a key that a block of fingerprints shows. While another thread moves the block's
// fingerprints, one that is in no slot may seem to be in one.
enum class Shown : uint8_t {
  kIsTrusted,    // the update looks at the key again, under its lock
  kIsConfirmed,  // under the lock: the answer is final
};

// Sets homes[i] to the index of the first of the stores that holds digest i (IsIn), or to
// stores.size(). Requires that the calling thread holds none of the locks, of which each covers its
// digests in every store; null: no other thread updates the stores. Thread safety: beside updates;
// then each home is that of some moment of the call. Cost: as FindOldest; for keys whose home has
// fingerprints one more look at their block, and for those that are undecided or to be confirmed, a
// lock.
void FindExactHomes(std::span<const Store* const> stores, std::span<const uint64_t> digests,
                    RangeLocks* locks, Shown trust, uint8_t* homes);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_EXACT_HOMES_H_
