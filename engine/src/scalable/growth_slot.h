// One slot of a scalable filter's plan: what a generation may hold, and the blocks that it takes.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_SLOT_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_SLOT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "trommel/result.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"

namespace trommel {

// Every generation's blocks are divided alike, so that one lock covers a key in all of them:
// num_blocks are multiples of 2^kGenerationLockBits.
inline constexpr uint32_t kGenerationLockBits = 6;

// One budget and what it pays for. While a generation lives its slot is taken; a new generation
// gets the lowest free one. The budgets of all slots together are the filter's.
struct GrowthSlot {
  Geometry geometry;
  uint64_t capacity = 0;  // distinct keys
  double budget_fpr = 0;  // the geometry's SlotFpr at capacity is no higher

  friend bool operator==(const GrowthSlot&, const GrowthSlot&) = default;
};

// The same, but for its blocks.
struct SlotBudget {
  uint64_t capacity = 0;
  double budget_fpr = 0;
};

// kInvalidArgument, naming the field, for numbers that no scalable filter can have.
Status CheckGrowth(const ScalableConfig& config);

// The slot's numbers, by a formula. Capacities grow by `growth` from one slot to
// the next until they reach max_capacity together, or one is too large, or its budget too small:
// nothing from there on. Requires that CheckGrowth is ok.
std::optional<SlotBudget> TighteningBudget(const ScalableConfig& config, size_t slot_idx);

// The rate of a generation of so many distinct keys, however often each of them is in: with what
// queries beside writers cannot decide.
double SlotFpr(const Geometry& geometry, uint64_t num_keys) noexcept;

// The bytes of a generation that holds so many keys once, by the model: blocks, versions of
// fingerprints and side table.
uint64_t SlotBytes(const Geometry& geometry, uint64_t num_keys) noexcept;

// The slot that keeps the budget: of this encoding, or with kAutomatic of the one that takes the
// fewest SlotBytes, of runs and fingerprints; on a tie runs. num_slices is the shape of slices.
// Fails where it would need too many blocks. Cost: milliseconds.
Result<GrowthSlot> TighteningSlot(const SlotBudget& budget, uint32_t num_slices, Encoding encoding);

// The shape of all generations: num_slices, or what costs the fewest bytes where it is 0. With
// kAutomatic that of those that are runs; with fingerprints 0. Fails if the first slot cannot be.
// Cost: about 10 ms where the shape is to be chosen.
Result<uint32_t> SlicesForTightening(const ScalableConfig& config);

// The plan's first slot alone. Fails as GrowthPlan::Make does, but not for a max_capacity out of
// reach.
Result<GrowthSlot> FirstSlot(const ScalableConfig& config);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_SLOT_H_
