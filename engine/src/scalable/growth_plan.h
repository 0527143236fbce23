// GrowthPlan: what each generation of a scalable filter will be, decided before there is one.
//
// Which slots there may be, and their capacities and budgets, follows from the config by a formula;
// their blocks are searched for by sizing, milliseconds for each slot. So a slot is sized when it
// is first asked for, and a file is judged by the formulas alone: what a forger writes costs no
// search.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLAN_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLAN_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/src/scalable/growth_slot.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

// Copies share what was sized. Any thread may call it at any time. Where memory for sizing a slot
// is refused, that throws std::bad_alloc.
class GrowthPlan {
 public:
  static constexpr uint32_t kLockBits = kGenerationLockBits;

  // Requires another encoding than kAutomatic, unless each slot may have its own. Fails as
  // ScalableFilter::Create does. Sizes the first slot; with a max_capacity the last one, too.
  // Milliseconds; about 10 where the shape is to be chosen.
  static Result<GrowthPlan> Make(const ScalableConfig& config);

  // The plan of a filter that is there already, num_slices being its blocks'. Fails for numbers out
  // of range and for a max_capacity out of reach. Sizes no slot but the last one of a max_capacity.
  static Result<GrowthPlan> OfFilter(const ScalableConfig& config);

  // Budget and capacity of a slot, or nothing where the formulas say that there is none. (They do
  // not know the most blocks that a generation may have; HasSlot does.)
  std::optional<SlotBudget> BudgetOf(size_t slot_idx) const;

  bool HasSlot(size_t slot_idx) const;
  GrowthSlot slot(size_t slot_idx) const;  // requires HasSlot(slot_idx), else message and abort

  // Of all slots: these size what has not been asked for yet.
  size_t num_slots() const;
  uint64_t largest_capacity() const;

  // The shape of generations of slices, as far as it was asked for or chosen; else 0.
  uint32_t num_slices() const;
  size_t num_sized() const;  // slots that sizing was done for so far

 private:
  struct Slots;
  explicit GrowthPlan(std::shared_ptr<Slots> slots) : slots_(std::move(slots)) {}
  static Result<GrowthPlan> OfShape(const ScalableConfig& config);
  bool Reaches(uint64_t max_capacity) const;
  std::optional<GrowthSlot> SlotAt(size_t slot_idx) const;

  std::shared_ptr<Slots> slots_;
};

// Plans of several filters, each made once: sizing takes milliseconds for every slot, and filters
// of the same numbers have the same.
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
    const Key key(config.first_capacity, std::bit_cast<uint64_t>(config.target_fpr),
                  config.max_capacity, config.growth, std::bit_cast<uint64_t>(config.tightening),
                  config.num_slices, config.encoding);
    if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
    Result<GrowthPlan> plan = make(config);
    if (plan.ok()) plans_.emplace(key, *plan);
    return plan;
  }

  // All that a plan follows from.
  using Key = std::tuple<uint64_t, uint64_t, uint64_t, uint32_t, uint64_t, uint32_t, Encoding>;
  std::map<Key, GrowthPlan> plans_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLAN_H_
