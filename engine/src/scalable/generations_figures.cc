// What generations tell of themselves: how far they may grow, and their statistics.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/src/blocks/store_stats.h"
#include "engine/src/scalable/generations_engine.h"
#include "trommel/sizing.h"

namespace trommel {

uint64_t GenerationsEngine::largest_capacity() const noexcept {
  return generations_->plan().largest_capacity();
}

GrowthForecast GenerationsEngine::ForecastAt(uint64_t num_keys) const {
  const GrowthPlan& plan = generations_->plan();
  GrowthForecast forecast;
  double absent = 1;
  const size_t num_slots = plan.num_slots();
  for (size_t i = 0; i < num_slots && (i == 0 || num_keys > 0); ++i) {
    const GrowthSlot slot = plan.slot(i);
    const bool is_last = i + 1 == num_slots;
    const uint64_t num_here = is_last ? num_keys : std::min(num_keys, slot.capacity);
    absent *= 1 - SlotFpr(slot.geometry, num_here);
    forecast.num_bytes += slot.geometry.num_bytes();
    num_keys -= num_here;
  }
  forecast.predicted_fpr = 1 - absent;
  return forecast;
}

uint64_t GenerationsEngine::num_keys() const noexcept {
  const auto list = generations_->Read();
  uint64_t num_keys = 0;
  for (const auto& member : list->members()) num_keys += member->num_keys();
  return num_keys;
}

size_t GenerationsEngine::num_generations() const noexcept { return generations_->Read()->size(); }

ScalableStats GenerationsEngine::GetStats() const {
  const auto list = generations_->Read();
  ScalableStats stats;
  double predicted_absent = 1;
  for (size_t g = 0; g < list->size(); ++g) {
    const Generation& generation = list->at(g);
    const Geometry& geometry = generation.store().geometry();
    stats.generations.push_back(
        {.geometry = geometry,
         .slot = static_cast<uint32_t>(generation.slot),
         .capacity = generation.capacity,
         .load = generation.load(),
         .budget_fpr = generation.budget_fpr,
         .stats = StatsOf(geometry, generation.store().Figures(), generation.num_keys(), 0)});
    Stats& of_this = stats.generations.back().stats;
    // Keys beyond the load have set no bits.
    of_this.predicted_fpr = PredictedFpr(geometry, stats.generations.back().load);
    stats.num_keys += of_this.num_keys;
    stats.num_bytes += of_this.num_bytes;
    predicted_absent *= 1 - std::min(1.0, of_this.predicted_fpr + of_this.undecided_share);
  }
  stats.predicted_fpr = 1 - predicted_absent;
  return stats;
}

ScalableFill GenerationsEngine::MeasureFill() const {
  const auto list = generations_->LockList();
  std::vector<kernels::Tally> tallies(list->size());
  VisitOwnedRanges(list->members(),
                   [&](size_t g, size_t o) { tallies[g] += list->at(g).store().TallyOf(o); });
  ScalableFill fill;
  double current_absent = 1;
  for (size_t g = 0; g < list->size(); ++g) {
    fill.generations.push_back(FillOf(list->at(g).store(), tallies[g]));
    fill.huge_page_bytes += fill.generations.back().huge_page_bytes;
    const Store& store = list->at(g).store();
    const double undecided = UndecidedShareOf(store.geometry(), store.Figures());
    current_absent *= 1 - std::min(1.0, fill.generations.back().current_fpr + undecided);
  }
  fill.current_fpr = 1 - current_absent;
  return fill;
}

uint64_t GenerationsEngine::NextBytes() const { return generations_->NextBytes(); }

}  // namespace trommel
