// What a CountingFilter is made of, shared by its sources and by ConcurrentFilter.
#ifndef TROMMEL_ENGINE_SRC_COUNTING_COUNTING_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_COUNTING_COUNTING_FILTER_IMPL_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/batches/query_batch.h"
#include "engine/src/batches/update_batch.h"
#include "engine/src/blocks/block_store.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/keys.h"
#include "trommel/one_key.h"
#include "trommel/outcomes.h"

namespace trommel {

// Names the first field in which they differ; empty if they can be added up.
inline std::string DifferenceOf(const CountingFilter& ours, const CountingFilter& theirs) {
  return DifferenceOf(ours.geometry(), ours.digest_policy(), theirs.geometry(),
                      theirs.digest_policy());
}

// Of insertions that a limit of side memory may refuse.
inline InsertOutcome SideMemoryOutcome(uint64_t num_inserted, uint64_t num_refused) {
  return {.num_inserted = num_inserted,
          .num_refused = num_refused,
          .refusal = num_refused == 0 ? GrowthRefusal::kNone : GrowthRefusal::kSideMemoryLimit};
}

// --- Small batches. Their keys are hashed, all their blocks fetched, and then the kernel of one
// key is called for each. The steps of larger batches cost as much as a dozen keys in cache, and so
// few keys do not fill their pipeline (bench/README.md, "One key per call").

// So many take 0.7 times as long beyond the caches, and as long in cache; fewer gain more.
constexpr size_t kSmallBatch = 16;
static_assert(kSmallBatch <= 64, "answers are one word");

// Calls fetch(digests), and then answer(digest) for each key in order. Bit i of `answers`, a word
// unless it is empty, says what it returned for key i. Returns how often that was true. Requires at
// most kSmallBatch keys. Digests of the caller's are copied: an update must read the same twice
// (key_batches.h).
template <class Fetch, class Answer>
size_t AnswerFew(const OneKey& one, const DigestPolicy& policy, Keys keys,
                 std::span<uint64_t> answers, const Fetch& fetch, const Answer& answer) {
  if (keys.empty()) return 0;
  std::array<uint64_t, kSmallBatch> buffer;
  const std::span<uint64_t> digests = std::span(buffer).first(keys.size());
  if (keys.kind() == KeyKind::kInt64 && one.HashesIntegersHere()) {
    const auto* integers = static_cast<const std::byte*>(keys.data());
    for (size_t i = 0; i < digests.size(); ++i) {
      uint64_t integer;
      std::memcpy(&integer, integers + i * sizeof(integer), sizeof(integer));
      digests[i] = one.DigestOf(integer);
    }
  } else {
    policy.Digests(keys, digests);
  }
  fetch(std::span<const uint64_t>(digests));
  uint64_t bits = 0;
  for (size_t i = 0; i < digests.size(); ++i) bits |= uint64_t{answer(digests[i])} << i;
  if (!answers.empty()) answers.front() = bits;
  return static_cast<size_t>(std::popcount(bits));
}

// --- The filter.

struct CountingFilter::Impl {
  Impl(std::unique_ptr<Store> blocks, const DigestPolicy& digests_by, uint64_t limit_bytes)
      : policy(digests_by), memory_limit_bytes(limit_bytes) {
    one.HashBy(policy);
    Take(std::move(blocks));
  }

  // What its batches work on.
  BatchTarget Target(RangeLocks* locks = nullptr) const {
    return {.store = *store,
            .policy = policy,
            .executor = executor.get(),
            .locks = locks,
            .route = route};
  }

  // Whether the key was inserted or erased. The caller counts it.
  template <Update update>
  bool UpdateOne(uint64_t digest) const {
    const OneKey::Kernel kernel = update == Update::kInsert  ? one.insert
                                  : update == Update::kErase ? one.erase
                                                             : one.insert_if_absent;
    const kernels::OneFate fate = kernel(digest, one.blocks);
    return fate == OneKey::kDone ||
           (fate != OneKey::kUnchanged && store->FinishUpdate(update, digest) == Fate::kChanged);
  }

  bool AreFew(Keys keys) const { return keys.size() <= kSmallBatch && route == Route::kAutomatic; }
  // As UpdateBatch. Called by the thread that has the filter to itself.
  template <Update update>
  uint64_t UpdateAll(Keys keys, std::span<uint64_t> answers) {
    if (!AreFew(keys)) return UpdateBatch(Target(), update, keys, answers).num_applied;
    return AnswerFew(
        one, policy, keys, answers, [this](auto digests) { store->FetchAhead(digests); },
        [this](uint64_t digest) { return UpdateOne<update>(digest); });
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const {
    if (!AreFew(keys)) return QueryBatch(Target(), keys, maybe_present);
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
  // Insertions that the limit may refuse keys of, by the calling thread, with answers for each key.
  // With locks, which then count the keys.
  InsertOutcome InsertNoting(Keys keys, std::span<uint64_t> inserted, RangeLocks* locks = nullptr);
  InsertOutcome InsertAbsentNoting(Keys keys, std::span<uint64_t> inserted,
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
