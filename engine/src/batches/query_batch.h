// Queries of batches, spread over an executor's threads where that pays. None of them writes to the
// store; queries and selections take no lock, even beside writers (see ConcurrentFilter).
#ifndef TROMMEL_ENGINE_SRC_BATCHES_QUERY_BATCH_H_
#define TROMMEL_ENGINE_SRC_BATCHES_QUERY_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/batches/update_batch.h"
#include "trommel/keys.h"

namespace trommel {

// As CountingFilter's.
size_t QueryBatch(const BatchTarget& target, Keys keys, std::span<uint64_t> maybe_present) noexcept;
size_t SelectBatch(const BatchTarget& target, Keys keys, bool maybe_present,
                   std::span<uint32_t> selection) noexcept;
// Counts do change beside a reader: each key is looked up under its lock, if there are any.
void CountBatch(const BatchTarget& target, Keys keys, std::span<uint64_t> counts) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_QUERY_BATCH_H_
