// What a classic filter is made of, shared by its sources.
#ifndef TROMMEL_ENGINE_SRC_CLASSIC_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_CLASSIC_FILTER_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "engine/src/classic/position_store.h"
#include "engine/src/snapshots/snapshot.h"
#include "trommel/classic/filter.h"

namespace trommel::classic {

struct Filter::Impl {
  Impl(PositionStore positions, const FilterFacts& facts, uint64_t limit_bytes)
      : store(std::move(positions)),
        policy(facts.policy),
        capacity(facts.capacity),
        target_fpr(facts.target_fpr),
        memory_limit_bytes(limit_bytes),
        num_keys(facts.num_keys) {}

  FilterFacts Facts() const { return {policy, capacity, target_fpr, num_keys}; }

  size_t Query(Keys keys, uint32_t num_probes, std::span<uint64_t> maybe_present) const noexcept;

  // Aborts on a filter of plain bits.
  void CheckCounters() const;

  // Down to zero and no further: see Filter::num_keys.
  void TakeKeys(uint64_t num_gone) { num_keys -= num_gone < num_keys ? num_gone : num_keys; }

  PositionStore store;
  DigestPolicy policy;
  std::shared_ptr<Executor> executor;
  uint64_t capacity = 0;
  double target_fpr = 0;
  uint64_t memory_limit_bytes = 0;
  uint64_t num_keys = 0;
  uint64_t num_refused_erases = 0;
};

}  // namespace trommel::classic

#endif  // TROMMEL_ENGINE_SRC_CLASSIC_FILTER_IMPL_H_
