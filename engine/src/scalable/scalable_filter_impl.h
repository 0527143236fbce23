// What a ScalableFilter is made of: generations, locks over parts of the keys, and a policy.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_FILTER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/src/scalable/generations.h"
#include "engine/src/scalable/scalable_update.h"
#include "engine/src/sync/exclusive_access_check.h"
#include "engine/src/sync/range_locks.h"
#include "trommel/scalable_filter.h"

namespace trommel {

struct ScalableFilter::Impl {
  Impl(const ScalableConfig& made_with, std::unique_ptr<Generations> list)
      : config(made_with), generations(std::move(list)), locks(GrowthPlan::kLockBits) {}

  ScalableTarget ForUpdates() {
    return {.generations = *generations,
            .locks = locks,
            .policy = config.digest,
            .executor = config.executor.get()};
  }

  InsertOutcome Count(const InsertOutcome& outcome) {
    num_refused_inserts.fetch_add(outcome.num_refused, std::memory_order_relaxed);
    return outcome;
  }
  EraseOutcome Count(Keys keys, uint64_t num_erased) {
    const EraseOutcome outcome{num_erased, keys.size() - num_erased};
    num_refused_erases.fetch_add(outcome.num_refused, std::memory_order_relaxed);
    return outcome;
  }

  // Calls visit(g, o) for every owned range o of each generation g, lock by lock, each under its
  // lock: a lock's ranges of all generations at one moment, for a key may leave one and enter
  // another.
  template <class Visit>
  void VisitOwnedRanges(const GenerationList::Members& members, const Visit& visit) {
    for (size_t l = 0; l < locks.num_locks(); ++l) {
      const RangeLocks::Held held = locks.Hold(l, locks.lock_bits());
      for (size_t g = 0; g < members.size(); ++g) {
        const size_t num_ranges = members[g]->store.num_owned_ranges() / locks.num_locks();
        for (size_t o = l * num_ranges; o < (l + 1) * num_ranges; ++o) visit(g, o);
      }
    }
  }

  // One generation for a snapshot.
  struct GenerationCopy {
    BlockStore store;
    uint64_t slot = 0;
    uint64_t capacity = 0;
    double budget_fpr = 0;
    uint64_t num_keys = 0;
    uint64_t load = 0;
  };
  using Copies = std::vector<GenerationCopy>;
  // All generations, each lock's part of them as it is at one moment.
  Result<Copies> Copy();

  ScalableConfig config;
  std::unique_ptr<Generations> generations;
  RangeLocks locks;  // each covers its keys in every generation
  std::atomic<uint64_t> num_refused_erases{0};
  std::atomic<uint64_t> num_refused_inserts{0};
  ExclusiveAccessCheck access_check;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_SCALABLE_FILTER_IMPL_H_
