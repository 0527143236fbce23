// The stores of generations: slices or fingerprints, made so that queries may run beside updates,
// and what is known of their keys.
//
// *Exact presence.* A store of slices shows a key or it does not. A store of fingerprints answers a
// query beside writers "maybe present", too, where only the side table could decide. Which keys
// those are depends on the order of past updates, so updates do not act on such an answer: under
// the key's lock they ask the store itself (IsIn). By that measure a closed generation never gains
// a key: adding copies to a key that is in, and erasing, change the contents of a block, a multiset
// of keys, and IsIn looks the key up in these contents.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GENERATION_STORE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GENERATION_STORE_H_

#include <cstdint>
#include <memory>

#include "engine/src/blocks/block_store.h"
#include "engine/src/blocks/store.h"
#include "engine/src/fingerprints/make_store.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

inline bool HasFingerprints(const Store& store) {
  return HasFingerprints(store.geometry().encoding);
}
// Requires slices.
inline const BlockStore& BlockStoreOf(const Store& store) {
  return static_cast<const BlockStore&>(store);
}
// An empty store, whose queries may run beside updates. Fails as BlockStore::Create and
// Store::ServeQueries.
Result<std::unique_ptr<Store>> MakeGenerationStore(const Geometry& geometry, uint64_t limit_bytes);

// Does the store hold the key, or keys that cover it? Requires that no other thread updates the
// digest's blocks.
inline bool IsIn(const Store& store, uint64_t digest) {
  return HasFingerprints(store) ? store.CountEstimate(digest) != 0 : store.MayContain(digest);
}

// The fewest arrivals that could have led to these contents: no slice has more positions present
// than keys have arrived, and no key is in without an arrival. Cost: one pass over the blocks.
uint64_t LeastLoad(const Store& store);
// Insertions less erasures, as the blocks tell. Cost: one pass over the blocks.
uint64_t KeysIn(const Store& store);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GENERATION_STORE_H_
