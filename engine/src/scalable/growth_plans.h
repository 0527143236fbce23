// GrowthPlans: plans of several filters, each made once: sizing takes milliseconds for every slot,
// and filters of the same numbers have the same.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLANS_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLANS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "engine/src/scalable/growth_plan.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

class GrowthPlans {
 public:
  Result<GrowthPlan> For(const ScalableConfig& config) { return Known(config, &GrowthPlan::Make); }
  Result<GrowthPlan> OfFilter(const ScalableConfig& config) {
    return Known(config, &GrowthPlan::OfFilter);
  }

  size_t num_plans() const { return plans_.size(); }
  // Slots that sizing was done for so far, in all plans.
  size_t num_sized() const {
    size_t num_sized = 0;
    for (const auto& [key, plan] : plans_) num_sized += plan.num_sized();
    return num_sized;
  }

 private:
  // As `make`, which is one of GrowthPlan's.
  Result<GrowthPlan> Known(const ScalableConfig& config,
                           Result<GrowthPlan> (*make)(const ScalableConfig&)) {
    // Rates by their bits: one that is no number must not upset the order.
    const Key key(config.mode, config.first_capacity, std::bit_cast<uint64_t>(config.target_fpr),
                  config.max_capacity, config.growth, std::bit_cast<uint64_t>(config.tightening),
                  config.num_slices, config.encoding);
    if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
    Result<GrowthPlan> plan = make(config);
    if (plan.ok()) plans_.emplace(key, *plan);
    return plan;
  }

  // All that a plan follows from.
  using Key =
      std::tuple<GrowthMode, uint64_t, uint64_t, uint64_t, uint32_t, uint64_t, uint32_t, Encoding>;
  std::map<Key, GrowthPlan> plans_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLANS_H_
