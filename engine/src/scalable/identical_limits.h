// What a config of identical generations may name in the terms of the published scheme, and what
// the filter is made with instead.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_IDENTICAL_LIMITS_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_IDENTICAL_LIMITS_H_

#include <cstdint>

#include "engine/src/scalable/growth_slot.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

// The config with an encoding for kAutomatic, first_capacity for num_positions and max_capacity for
// largest_fpr, both of which are 0 afterwards: what GrowthPlan::Make takes, and what a file stores.
// kInvalidArgument, naming the fields, where they contradict each other, are out of range, or are
// not for the mode. Sizes one generation where it replaces a field. Cost: microseconds.
Result<ScalableConfig> Resolved(const ScalableConfig& asked_for);

// The rate, by the model, of a generation that has taken its capacity of keys. Keys that it shows
// when they come need no room, but its blocks are as if they were in: after n keys that it did not
// show they are those of N keys, where dN/dn = 1 / (1 - rate of N). Cost: some 64 PredictedFpr.
double FprAtCapacity(const GrowthSlot& slot) noexcept;

// The most generations of this rate that together stay at or below largest_fpr, but for rounding:
// floor(ln(1 - largest_fpr) / ln(1 - generation_fpr)). Both rates are above 0 and below 1.
uint64_t MostGenerations(double generation_fpr, double largest_fpr) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_IDENTICAL_LIMITS_H_
