// GrowthPlan: what each generation of a scalable filter will be, decided before there is one.
#ifndef TROMMEL_ENGINE_SRC_GROWTH_PLAN_H_
#define TROMMEL_ENGINE_SRC_GROWTH_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trommel/result.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"

namespace trommel {

// One budget and what it pays for. While a generation lives its slot is taken; a new generation
// gets the lowest free one. The budgets of all slots together are the filter's.
struct GrowthSlot {
  Geometry geometry;
  uint64_t capacity = 0;  // distinct keys
  double budget_fpr = 0;  // the geometry's rate at capacity is no higher

  friend bool operator==(const GrowthSlot&, const GrowthSlot&) = default;
};

class GrowthPlan {
 public:
  // Every generation's blocks are divided alike, so that one lock covers a key in all of them:
  // num_blocks are multiples of 2^kLockBits.
  static constexpr uint32_t kLockBits = 6;

  // Fails as ScalableFilter::Create does. Pure arithmetic: milliseconds, up to a second for
  // hundreds of slots.
  static Result<GrowthPlan> Make(const ScalableConfig& config);

  size_t num_slots() const { return num_slots_; }
  const GrowthSlot& slot(size_t slot_idx) const {
    return slots_[slot_idx < slots_.size() ? slot_idx : slots_.size() - 1];
  }
  uint64_t largest_capacity() const { return largest_capacity_; }

 private:
  std::vector<GrowthSlot> slots_;  // of kIdentical: one, which stands for all
  size_t num_slots_ = 0;
  uint64_t largest_capacity_ = 0;
};

// The plan's first slot alone, for a tenth of the work of all: about 10 ms where the shape is to be
// chosen, under 1 ms where num_slices is given. Fails as GrowthPlan::Make does, but not for a
// max_capacity out of reach.
Result<GrowthSlot> FirstSlot(const ScalableConfig& config);

// Distinct keys at which a position is present with chance 1/2.
uint64_t HalfFillKeys(const Geometry& geometry) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWTH_PLAN_H_
