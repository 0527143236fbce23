#include "engine/src/fingerprints/make_store.h"

#include <utility>

#include "engine/src/blocks/block_store.h"
#include "engine/src/fingerprints/dense_store.h"
#include "engine/src/fingerprints/wide_store.h"

namespace trommel {

namespace {

template <class Made>
Result<std::unique_ptr<Store>> AsStore(Result<std::unique_ptr<Made>> made) {
  if (!made) return made.error();
  return std::unique_ptr<Store>(*std::move(made));
}

}  // namespace

Result<std::unique_ptr<Store>> MakeStore(const Geometry& geometry, uint64_t limit_bytes) {
  if (geometry.encoding == Encoding::kDense) {
    return AsStore(DenseStore::Create(geometry, limit_bytes));
  }
  if (HasFingerprints(geometry.encoding)) {
    return AsStore(WideStore::Create(geometry, limit_bytes));
  }
  Result<BlockStore> slices = BlockStore::Create(geometry, limit_bytes);
  if (!slices) return slices.error();
  return std::unique_ptr<Store>(std::make_unique<BlockStore>(*std::move(slices)));
}

uint64_t LeastSideBytes(const Geometry& geometry) {
  if (geometry.encoding == Encoding::kDense) return DenseStore::LeastSideBytes(geometry);
  return HasFingerprints(geometry.encoding) ? WideStore::LeastSideBytes(geometry)
                                            : BlockStore::LeastSideBytes(geometry);
}

}  // namespace trommel
