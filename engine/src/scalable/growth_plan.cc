// Slots are sized one after the other, when they are asked for.
#include "engine/src/scalable/growth_plan.h"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/base/out_of_range.h"

namespace trommel {

// What has been sized, a prefix of all slots; and how many there are once that is known.
struct GrowthPlan::Slots {
  explicit Slots(const ScalableConfig& made_with) : config(made_with) {
    config.executor = nullptr;  // a plan follows from numbers: it keeps no threads, and no secret
    config.digest = {};
  }

  // Sizes the slots up to this one, or up to the last. Under `sizing`.
  void SizeUpTo(size_t slot_idx) {
    while (!num_slots && sized.size() <= slot_idx) {
      if (const auto budget = TighteningBudget(config, sized.size())) {
        const Result<GrowthSlot> slot =
            sized.size() == last_idx ? *last
                                     : TighteningSlot(*budget, config.num_slices, config.encoding);
        if (slot.ok()) {
          sized.push_back(*slot);
          continue;
        }
      }
      num_slots = sized.size();
    }
  }

  ScalableConfig config;  // num_slices is the shape of all
  std::mutex sizing;
  std::vector<GrowthSlot> sized;
  std::optional<size_t> num_slots;
  // The slot that Reaches sized, where it did; no slot has the index SIZE_MAX.
  size_t last_idx = SIZE_MAX;
  std::optional<GrowthSlot> last;
};

// The plan where the shape is known. Whether there is a first slot is not.
Result<GrowthPlan> GrowthPlan::OfShape(const ScalableConfig& config) {
  GrowthPlan plan(std::make_shared<Slots>(config));
  if (config.max_capacity == 0) return plan;
  if (!plan.Reaches(config.max_capacity)) {
    return Error{ErrorCode::kInvalidArgument,
                 "max_capacity is " + TextOf(config.max_capacity) + "; with first_capacity " +
                     TextOf(config.first_capacity) + " and target_fpr " +
                     TextOf(config.target_fpr) + " at most " + TextOf(plan.largest_capacity()) +
                     " keys in " + TextOf(plan.num_slots()) + " generations can be promised"};
  }
  return plan;
}

// What the formulas promise up to the slot that reaches it, sizing can keep if it can keep the last
// one's: that is the largest, of the lowest rate.
bool GrowthPlan::Reaches(uint64_t max_capacity) const {
  const ScalableConfig& config = slots_->config;
  uint64_t total = 0;
  size_t num_slots = 0;
  std::optional<SlotBudget> last;
  for (; const std::optional<SlotBudget> budget = BudgetOf(num_slots); ++num_slots) {
    total += budget->capacity;
    last = budget;
  }
  if (!last || total < max_capacity) return false;
  const auto slot = TighteningSlot(*last, config.num_slices, config.encoding);
  if (!slot.ok()) return false;
  slots_->last = *slot;
  slots_->last_idx = num_slots - 1;
  return true;
}

Result<GrowthPlan> GrowthPlan::Make(const ScalableConfig& config) {
  if (Status good = CheckGrowth(config); !good.ok()) return good.error();
  ScalableConfig shaped = config;
  const Result<uint32_t> num_slices = SlicesForTightening(config);
  if (!num_slices.ok()) return num_slices.error();
  shaped.num_slices = *num_slices;
  Result<GrowthPlan> plan = OfShape(shaped);
  if (!plan.ok() || plan->HasSlot(0)) return plan;
  return FirstSlot(shaped).error();
}

Result<GrowthPlan> GrowthPlan::OfFilter(const ScalableConfig& config) {
  if (config.num_slices == 0 && !HasFingerprints(config.encoding))
    return OutOfRange("num_slices", config.num_slices, "that of the generations");
  if (Status good = CheckGrowth(config); !good.ok()) return good.error();
  return OfShape(config);
}

std::optional<SlotBudget> GrowthPlan::BudgetOf(size_t slot_idx) const {
  return TighteningBudget(slots_->config, slot_idx);
}

std::optional<GrowthSlot> GrowthPlan::SlotAt(size_t slot_idx) const {
  const std::lock_guard<std::mutex> lock(slots_->sizing);
  slots_->SizeUpTo(slot_idx);
  if (slot_idx >= slots_->sized.size()) return std::nullopt;
  return slots_->sized[slot_idx];
}

bool GrowthPlan::HasSlot(size_t slot_idx) const { return SlotAt(slot_idx).has_value(); }

GrowthSlot GrowthPlan::slot(size_t slot_idx) const {
  const std::optional<GrowthSlot> slot = SlotAt(slot_idx);
  TROMMEL_CHECK(slot.has_value(), "a slot that the plan does not have");
  return *slot;
}

size_t GrowthPlan::num_slots() const {
  const std::lock_guard<std::mutex> lock(slots_->sizing);
  slots_->SizeUpTo(ScalableFilter::kMaxGenerations);
  return *slots_->num_slots;
}

uint64_t GrowthPlan::largest_capacity() const {
  const size_t num_slots = this->num_slots();
  uint64_t largest_capacity = 0;
  for (size_t i = 0; i < num_slots; ++i) largest_capacity += BudgetOf(i)->capacity;
  return largest_capacity;
}

uint32_t GrowthPlan::num_slices() const { return slots_->config.num_slices; }

size_t GrowthPlan::num_sized() const {
  const std::lock_guard<std::mutex> lock(slots_->sizing);
  return slots_->sized.size();
}

}  // namespace trommel
