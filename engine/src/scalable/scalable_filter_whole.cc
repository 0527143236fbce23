// Whole scalable filters: statistics and clearing. Snapshots: scalable_filter_snapshot.cc.
#include <new>
#include <vector>

#include "engine/src/blocks/store_stats.h"
#include "engine/src/scalable/scalable_filter_impl.h"

namespace trommel {

ScalableStats ScalableFilter::GetStats() const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const auto list = impl_->generations->LockList();
  RangeLocks& locks = impl_->locks;
  std::vector<StoreTotals> totals(list->size());
  for (size_t l = 0; l < locks.num_locks(); ++l) {
    const RangeLocks::Held held = locks.Hold(l, locks.lock_bits());
    for (size_t g = 0; g < list->size(); ++g) {
      const BlockStore& store = list->at(g).store;
      const size_t num_owned_ranges = Impl::OwnedRangesPerLock(store, locks);
      for (size_t o = 0; o < num_owned_ranges; ++o)
        totals[g] += store.TotalsOf(l * num_owned_ranges + o);
    }
  }
  ScalableStats stats;
  double current_absent = 1;
  double predicted_absent = 1;
  for (size_t g = 0; g < list->size(); ++g) {
    const Generation& generation = list->at(g);
    totals[g].num_keys = generation.num_keys();
    stats.generations.push_back({.geometry = generation.store.geometry(),
                                 .slot = static_cast<uint32_t>(generation.slot),
                                 .capacity = generation.capacity,
                                 .load = generation.load(),
                                 .budget_fpr = generation.budget_fpr,
                                 .stats = StatsOf(generation.store, totals[g], 0)});
    Stats& of_this = stats.generations.back().stats;
    // Keys beyond the load have set no bits.
    of_this.predicted_fpr =
        PredictedFpr(stats.generations.back().geometry, stats.generations.back().load);
    stats.num_keys += of_this.num_keys;
    stats.num_bytes += of_this.num_bytes;
    current_absent *= 1 - of_this.current_fpr;
    predicted_absent *= 1 - of_this.predicted_fpr;
  }
  stats.current_fpr = 1 - current_absent;
  stats.predicted_fpr = 1 - predicted_absent;
  stats.num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  stats.num_refused_inserts = impl_->num_refused_inserts.load(std::memory_order_relaxed);
  return stats;
}

uint64_t ScalableFilter::NextGenerationBytes() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->generations->NextBytes();
}

void ScalableFilter::Clear() {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  if (!impl_->generations->Clear().ok()) throw std::bad_alloc();
  impl_->num_refused_erases = 0;
  impl_->num_refused_inserts = 0;
}

}  // namespace trommel
