// The filters' side of a plan for attributes: what each allowed set's is made for. Pure arithmetic.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_PLAN_FILTERS_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_PLAN_FILTERS_H_

#include <cstdint>
#include <vector>

#include "trommel/attribute_plan.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// Both set target_fpr, predicted_fpr and num_bytes of sets whose capacity is known, to what a
// ScalableFilter made for them has when it is full and num_tuples are in. Fail as its Create does.
Status PlanFiltersOfRate(double target_fpr, Encoding encoding, uint64_t num_tuples,
                         std::vector<PlannedSet>& sets);

// The rates that make sum of weight x predicted_fpr least within the memory. Fails with
// kInvalidArgument where the highest rates take more, and says how much.
Status PlanFiltersInMemory(uint64_t memory_bytes, Encoding encoding, uint64_t num_tuples,
                           std::vector<PlannedSet>& sets);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_PLAN_FILTERS_H_
