// A batch of updates on its way to a block store: which way, and how many threads.
//
//   exclusive  direct   chunk by chunk in input order, fetching ahead
//              split    by shard (split_update.h), each shard by one task
//   locked     few      key by key, each under its lock
//              chunk    chunks split by lock, each run under its lock
//              split    by shard, each shard's part under its lock
//
// All leave the same bytes and the same answers.
#ifndef TROMMEL_ENGINE_SRC_BATCHES_UPDATE_BATCH_H_
#define TROMMEL_ENGINE_SRC_BATCHES_UPDATE_BATCH_H_

#include <cstdint>
#include <span>

#include "engine/src/blocks/block_store.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"

namespace trommel {

// What an update works on.
struct UpdateTarget {
  BlockStore& store;
  const DigestPolicy& policy;
  Executor* executor = nullptr;  // null: the calling thread only
  RangeLocks* locks = nullptr;   // null: nobody else is there
  Route route = Route::kAutomatic;

  uint32_t num_threads() const { return executor == nullptr ? 1 : executor->num_threads(); }
};

// Applies the update to all keys. If `answers` is not empty it must have a word for every 64 keys,
// all of which are written: bit i says whether key i was inserted or erased. Returns how many were.
uint64_t UpdateBatch(const UpdateTarget& target, Update update, Keys keys,
                     std::span<uint64_t> answers) noexcept;

// Is a batch of so many keys faster split than direct? Measured: bench/README.md, "Direct or
// split".
bool IsWorthSplitting(const Geometry& geometry, uint64_t num_keys, uint32_t num_threads) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_UPDATE_BATCH_H_
