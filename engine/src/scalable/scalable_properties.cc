// What a ScalableFilter tells of itself: how it was made, how far it may grow, and its statistics.
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/src/blocks/store_stats.h"
#include "engine/src/scalable/identical_limits.h"
#include "engine/src/scalable/scalable_filter_impl.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"

namespace trommel {

std::string_view GrowthModeName(GrowthMode mode) noexcept {
  switch (mode) {
    case GrowthMode::kTightening:
      return "tightening";
    case GrowthMode::kIdentical:
      return "identical";
  }
  return "unknown";
}

double FprOfGenerations(double generation_fpr, uint64_t num_generations) noexcept {
  return -std::expm1(static_cast<double>(num_generations) * std::log1p(-generation_fpr));
}

const DigestPolicy& ScalableFilter::digest_policy() const noexcept { return impl_->config.digest; }
GrowthMode ScalableFilter::mode() const noexcept { return impl_->config.mode; }
uint64_t ScalableFilter::first_capacity() const noexcept { return impl_->config.first_capacity; }
double ScalableFilter::target_fpr() const noexcept { return impl_->config.target_fpr; }
uint64_t ScalableFilter::largest_capacity() const noexcept {
  return impl_->generations->plan().largest_capacity();
}

double ScalableFilter::generation_fpr() const noexcept {
  const GrowthPlan& plan = impl_->generations->plan();
  // Of a forged file's tightening plan no slot may be possible; its budgets are known.
  if (mode() == GrowthMode::kTightening) return plan.BudgetOf(0)->budget_fpr;
  return FprAtCapacity(plan.slot(0));
}

size_t ScalableFilter::max_generations() const noexcept {
  return impl_->generations->plan().num_slots();
}

double ScalableFilter::largest_fpr() const noexcept {
  return mode() == GrowthMode::kTightening ? target_fpr()
                                           : FprOfGenerations(generation_fpr(), max_generations());
}

uint64_t ScalableFilter::num_keys() const noexcept {
  const auto list = impl_->generations->Read();
  uint64_t num_keys = 0;
  for (const auto& member : list->members()) num_keys += member->num_keys();
  return num_keys;
}

size_t ScalableFilter::num_generations() const noexcept {
  return impl_->generations->Read()->size();
}

ScalableStats ScalableFilter::GetStats() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const auto list = impl_->generations->Read();
  ScalableStats stats;
  double predicted_absent = 1;
  for (size_t g = 0; g < list->size(); ++g) {
    const Generation& generation = list->at(g);
    const Geometry& geometry = generation.store.geometry();
    stats.generations.push_back(
        {.geometry = geometry,
         .slot = static_cast<uint32_t>(generation.slot),
         .capacity = generation.capacity,
         .load = generation.load(),
         .budget_fpr = generation.budget_fpr,
         .stats = StatsOf(geometry, generation.store.Figures(), generation.num_keys(), 0)});
    Stats& of_this = stats.generations.back().stats;
    // Keys beyond the load have set no bits.
    of_this.predicted_fpr = PredictedFpr(geometry, stats.generations.back().load);
    stats.num_keys += of_this.num_keys;
    stats.num_bytes += of_this.num_bytes;
    predicted_absent *= 1 - of_this.predicted_fpr;
  }
  stats.predicted_fpr = 1 - predicted_absent;
  stats.num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  stats.num_refused_inserts = impl_->num_refused_inserts.load(std::memory_order_relaxed);
  return stats;
}

ScalableFill ScalableFilter::MeasureFill() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const auto list = impl_->generations->LockList();
  std::vector<kernels::Tally> tallies(list->size());
  impl_->VisitOwnedRanges(list->members(),
                          [&](size_t g, size_t o) { tallies[g] += list->at(g).store.TallyOf(o); });
  ScalableFill fill;
  double current_absent = 1;
  for (size_t g = 0; g < list->size(); ++g) {
    fill.generations.push_back(FillOf(list->at(g).store, tallies[g]));
    fill.huge_page_bytes += fill.generations.back().huge_page_bytes;
    current_absent *= 1 - fill.generations.back().current_fpr;
  }
  fill.current_fpr = 1 - current_absent;
  return fill;
}

uint64_t ScalableFilter::NextGenerationBytes() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->generations->NextBytes();
}

}  // namespace trommel
