// The one door through which updates reach a store: a range of keys, under its lock where there are
// locks.
#ifndef TROMMEL_ENGINE_SRC_BATCHES_APPLY_RANGE_H_
#define TROMMEL_ENGINE_SRC_BATCHES_APPLY_RANGE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/batches/update_batch.h"

namespace trommel {

// Applies the update to keys [range.begin, range.end), all of one range (of 2^range_bits), and
// counts them at their lock. Bits of `bits` as BlockStore::Apply has them, zero before; none for
// kInsert. Returns how many were inserted or erased.
uint64_t ApplyRange(const UpdateTarget& target, Update update, const uint64_t* digests,
                    const kernels::DigestRange& range, size_t range_idx, uint32_t range_bits,
                    std::span<uint64_t> bits) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_APPLY_RANGE_H_
