#include "engine/src/scalable/generation_store.h"

#include <utility>

#include "engine/src/blocks/block_audit.h"
#include "engine/src/blocks/block_contents.h"

namespace trommel {

Result<std::unique_ptr<Store>> MakeGenerationStore(const Geometry& geometry, uint64_t limit_bytes) {
  Result<std::unique_ptr<Store>> store = MakeStore(geometry, limit_bytes);
  if (!store.ok()) return store;
  if (Status serves = (*store)->ServeQueries(limit_bytes); !serves.ok()) return serves.error();
  return store;
}

uint64_t LeastLoad(const Store& store) {
  kernels::Tally tally;
  for (size_t o = 0; o < store.num_owned_ranges(); ++o) tally += store.TallyOf(o);
  if (HasFingerprints(store)) return tally.num_present;
  const uint64_t num_slices = store.geometry().num_slices;
  return (tally.num_present + num_slices - 1) / num_slices;
}

uint64_t KeysIn(const Store& store) {
  if (HasFingerprints(store)) {
    uint64_t num_keys = 0;
    for (uint64_t b = 0; b < store.geometry().num_blocks; ++b) {
      num_keys += TotalOf(store.ReadContents(b));
    }
    return num_keys;
  }
  const BlockStore& slices = BlockStoreOf(store);
  uint64_t num_keys = AuditBlocks(slices).num_keys;
  for (const uint64_t block_idx : slices.side_table().SortedBlocks()) {
    num_keys += slices.side_table().KeysOf(block_idx);
  }
  return num_keys;
}

}  // namespace trommel
