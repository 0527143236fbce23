// The one door through which updates reach a store: a run of keys, under its lock where there are
// locks.
#ifndef TROMMEL_ENGINE_SRC_BATCHES_APPLY_RUN_H_
#define TROMMEL_ENGINE_SRC_BATCHES_APPLY_RUN_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/batches/update_batch.h"

namespace trommel {

// Applies the update to keys [run.begin, run.end), all of one owner (of 2^owner_bits), and counts
// them at their lock. Bits of `bits` as BlockStore::Apply has them, zero before; none for kInsert.
// Returns how many were inserted or erased.
uint64_t ApplyRun(const UpdateTarget& target, Update update, const uint64_t* digests,
                  const kernels::Run& run, size_t owner_idx, uint32_t owner_bits,
                  std::span<uint64_t> bits) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_APPLY_RUN_H_
