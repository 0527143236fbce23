// The filters' side of a plan for attributes: what each allowed set's is made for. Pure arithmetic.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_PLAN_FILTERS_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_PLAN_FILTERS_H_

#include <cstdint>
#include <vector>

#include "trommel/attribute_plan.h"
#include "trommel/result.h"

namespace trommel {

// How many tuples filters of sets are sized for, and how far they are to grow
// (AttributeConfig::max_capacity).
struct TupleNumbers {
  uint64_t capacity = 0;
  uint64_t max_capacity = 0;
};

// Both set target_fpr, predicted_fpr and num_bytes of sets whose capacity is known, to what the
// filters made for them have with so many tuples. Fail as AttributeFilter::Create does.
Status PlanFiltersOfRate(double target_fpr, const TupleNumbers& tuples,
                         std::vector<PlannedSet>& sets);

// The rates that make sum of weight x predicted_fpr least within the memory. Fails with
// kInvalidArgument where the highest rates take more, and says how much.
Status PlanFiltersInMemory(uint64_t memory_bytes, const TupleNumbers& tuples,
                           std::vector<PlannedSet>& sets);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_PLAN_FILTERS_H_
