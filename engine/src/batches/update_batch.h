// Batches of updates to a store: how a batch is divided, and by how many threads.
//
//   exclusive  direct   chunk by chunk in input order, fetching ahead
//              split    by owned range (split_update.h), each by one task
//   locked     few      key by key, each under its lock
//              chunk    each chunk split by lock range, each digest range under its lock; first
//                       those that no other thread holds
//              split    by owned range, each chunk's digest range under its lock
//
// (A CountingFilter does up to 16 keys without this: counting/counting_filter_impl.h.)
//
// A batch is applied in rounds of limited memory. The way is chosen anew for each, because a store
// that grows meanwhile becomes worth splitting, and takes larger rounds.
//
// All ways leave the same bytes and the same answers. An update holds one lock at a time, so the
// order of locks does not matter. (A point-in-time save holds all locks, taken in order:
// RangeLocks::VisitRangesAtOnce.)
#ifndef TROMMEL_ENGINE_SRC_BATCHES_UPDATE_BATCH_H_
#define TROMMEL_ENGINE_SRC_BATCHES_UPDATE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/store.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"

namespace trommel {

// How a large batch of updates reaches memory. The resulting bytes are the same.
enum class Route : uint8_t {
  kAutomatic,  // the one expected to be faster for this store and batch
  kDirect,     // in input order, with prefetching
  kSplit,      // split by shard first, so that each shard's memory stays cached while it is used
};

// What a batch of updates or queries works on.
struct BatchTarget {
  KeyStore& store;
  const DigestPolicy& policy;
  Executor* executor = nullptr;  // null: the calling thread only
  RangeLocks* locks = nullptr;   // null: the caller has the store to itself
  Route route = Route::kAutomatic;
};

// What became of the keys of a batch.
struct UpdateOutcome {
  uint64_t num_applied = 0;  // inserted or erased
  uint64_t num_refused = 0;  // not inserted, because a limit left no space

  UpdateOutcome& operator+=(const UpdateOutcome& other) {
    num_applied += other.num_applied;
    num_refused += other.num_refused;
    return *this;
  }
};

// Applies the update to all keys. If `answers` is not empty it must have a word for every 64 keys,
// all of which are written: bit i says whether key i was inserted or erased.
UpdateOutcome UpdateBatch(const BatchTarget& target, Update update, Keys keys,
                          std::span<uint64_t> answers) noexcept;

// Applies the update to keys [range.begin, range.end), under their lock where there are locks, and
// adds them to its count. The keys must belong to range `range_idx` of 2^range_bits. Bit i of
// `bits` says whether key i was inserted or erased; those of the range are zero before. Of
// insertions it may be empty.
UpdateOutcome ApplyRange(const BatchTarget& target, Update update, const uint64_t* digests,
                         const kernels::DigestRange& range, size_t range_idx, uint32_t range_bits,
                         std::span<uint64_t> bits) noexcept;

// Do updates of this kind need bits, with answers or without? Stores count insertions by
// themselves.
constexpr bool NeedsBits(Update update, std::span<const uint64_t> answers) {
  return update != Update::kInsert || !answers.empty();
}

// Is a batch of so many keys faster split than direct? Measured: bench/README.md, "Direct or
// split".
bool IsWorthSplitting(const UpdateCost& cost, uint64_t num_keys, uint32_t num_threads) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_UPDATE_BATCH_H_
