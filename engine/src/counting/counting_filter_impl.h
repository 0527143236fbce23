// What a CountingFilter is made of, shared by its sources and by ConcurrentFilter.
#ifndef TROMMEL_ENGINE_SRC_COUNTING_COUNTING_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_COUNTING_COUNTING_FILTER_IMPL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/batches/query_batch.h"
#include "engine/src/batches/update_batch.h"
#include "engine/src/blocks/block_store.h"
#include "engine/src/blocks/store.h"
#include "engine/src/counting/few_keys.h"
#include "engine/src/fingerprints/fingerprint_store.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/counting_filter.h"
#include "trommel/keys.h"
#include "trommel/one_key.h"

namespace trommel {

// Names the first field in which they differ; empty if they can be added up.
inline std::string DifferenceOf(const CountingFilter& ours, const CountingFilter& theirs) {
  return DifferenceOf(ours.geometry(), ours.digest_policy(), theirs.geometry(),
                      theirs.digest_policy());
}

struct CountingFilter::Impl {
  Impl(std::unique_ptr<Store> blocks, const DigestPolicy& digests_by, uint64_t limit_bytes)
      : policy(digests_by), memory_limit_bytes(limit_bytes) {
    one.HashBy(policy);
    Take(std::move(blocks));
  }

  UpdateTarget ForUpdates(RangeLocks* locks = nullptr) {
    return {.store = *store,
            .policy = policy,
            .executor = executor.get(),
            .locks = locks,
            .route = route};
  }
  QueryTarget ForQueries() const {
    return {.store = *store, .policy = policy, .executor = executor.get()};
  }

  // Whether the key was inserted or erased. The caller counts it.
  template <Update update>
  bool UpdateOne(uint64_t digest) const {
    const OneKey::Kernel kernel = update == Update::kInsert  ? one.insert
                                  : update == Update::kErase ? one.erase
                                                             : one.insert_if_absent;
    const kernels::OneFate fate = kernel(digest, one.blocks);
    return fate == OneKey::kDone ||
           (fate != OneKey::kUnchanged && store->FinishUpdate(update, digest, fate));
  }

  bool AreFew(Keys keys) const { return keys.size() <= kSmallBatch && route == Route::kAutomatic; }
  // As UpdateBatch, by the calling thread, which has the filter to itself.
  template <Update update>
  uint64_t UpdateAll(Keys keys, std::span<uint64_t> answers) {
    if (!AreFew(keys)) return UpdateBatch(ForUpdates(), update, keys, answers);
    return AnswerFew(
        one, policy, keys, answers, [this](auto digests) { store->FetchAhead(digests); },
        [this](uint64_t digest) { return UpdateOne<update>(digest); });
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const {
    if (!AreFew(keys)) return QueryBatch(ForQueries(), keys, maybe_present);
    return AnswerFew(
        one, policy, keys, maybe_present, [this](auto digests) { store->FetchForQuery(digests); },
        [this](uint64_t digest) {
          return one.MayContain(digest, [this](uint64_t left) { return store->FinishQuery(left); });
        });
  }

  // Works on this store from now on.
  void Take(std::unique_ptr<Store> blocks) {
    store = std::move(blocks);
    SetKernels();
  }
  // To be called after a change of the store's kernels, too.
  void SetKernels() {
    const Store::OneKeyCalls calls = store->CallsOfOneKey();
    one.blocks = calls.blocks;
    one.query = calls.query;
    one.insert = calls.insert;
    one.erase = calls.erase;
    one.insert_if_absent = calls.insert_if_absent;
  }

  // Is there a limit of side memory?
  bool has_side_limit() const { return side_limit_bytes() != 0; }
  uint64_t side_limit_bytes() const { return store->side_memory_limit_bytes(); }
  // An insertion that the limit may refuse keys of, by the calling thread; `refused` may be empty.
  // With locks, each key is inserted under its lock, which counts it.
  InsertOutcome InsertNoting(Update update, Keys keys, std::span<uint64_t> inserted,
                             std::span<uint64_t> refused, RangeLocks* locks = nullptr);

  // Count an erasure.
  void Count(const EraseOutcome& outcome) {
    one.num_keys -= outcome.num_erased;
    one.num_refused_erases += outcome.num_refused;
  }
  EraseOutcome Count(Keys keys, uint64_t num_erased) {
    const EraseOutcome outcome{num_erased, keys.size() - num_erased};
    Count(outcome);
    return outcome;
  }

  // A filter of the same configuration, without keys, executor and limit of side memory.
  Result<CountingFilter> NewLikeThis() const;
  // Executor, route and limit of side memory. Fails as Store::LimitSideMemory.
  Status TakeSettingsOf(const Impl& other);

  // Spreads an unused store's memory over the NUMA nodes of the threads that will work on it.
  void TouchOwnedRanges() {
    if (executor == nullptr || executor->num_threads() == 1) return;
    executor->ForEach(store->num_owned_ranges(), [this](size_t o) { store->TouchOwnedRange(o); });
  }

  // Presence bits and counters. Requires an encoding that has them.
  const BlockStore& block_store() const {
    TROMMEL_CHECK(!has_fingerprints(), "this needs presence bits, and the filter has fingerprints");
    return static_cast<const BlockStore&>(*store);
  }
  bool has_fingerprints() const { return HasFingerprints(store->geometry().encoding); }
  // Threads share the filter no more.
  void StopServingQueries() {
    store->StopServingQueries();
    SetKernels();
  }

  OneKey one;
  std::unique_ptr<Store> store;
  DigestPolicy policy;
  std::shared_ptr<Executor> executor;
  Route route = Route::kAutomatic;
  uint64_t capacity = 0;
  double target_fpr = 0;
  uint64_t memory_limit_bytes = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COUNTING_COUNTING_FILTER_IMPL_H_
