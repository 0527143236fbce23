// A store of any encoding.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_MAKE_STORE_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_MAKE_STORE_H_

#include <cstdint>
#include <memory>

#include "engine/src/blocks/store.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// An empty one. Fails as Validate does, or with kOutOfMemory over limit_bytes (0: the machine's
// memory).
Result<std::unique_ptr<Store>> MakeStore(const Geometry& geometry, uint64_t limit_bytes);

// The least limit of side memory of a store of a valid geometry.
uint64_t LeastSideBytes(const Geometry& geometry);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_MAKE_STORE_H_
