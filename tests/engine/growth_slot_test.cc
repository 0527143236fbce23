// One slot: what the formula says, sizing keeps.
#include "engine/src/scalable/growth_slot.h"

#include "engine/src/scalable/growth_plan.h"
#include "support/catch.h"

namespace trommel::tests {

TEST_CASE("the first slot alone is the plan's", "[engine][scalable][growth]") {
  const Encoding encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  const GrowthMode mode = GENERATE(GrowthMode::kTightening, GrowthMode::kIdentical);
  const ScalableConfig config{
      .first_capacity = 1000, .target_fpr = 0.05, .mode = mode, .encoding = encoding};
  const Result<GrowthSlot> first = FirstSlot(config);
  const Result<GrowthPlan> plan = GrowthPlan::Make(config);
  REQUIRE(first.ok());
  REQUIRE(plan.ok());
  CHECK(*first == plan->slot(0));
}

TEST_CASE("a slot keeps the budget that the formula gives it", "[engine][scalable][growth]") {
  const ScalableConfig config{.first_capacity = 1000, .target_fpr = 0.01, .num_slices = 8};
  for (size_t i = 0; i < 10; ++i) {
    const std::optional<SlotBudget> budget = TighteningBudget(config, i);
    REQUIRE(budget.has_value());
    CHECK(budget->capacity == uint64_t{1000} << i);
    const Result<GrowthSlot> slot = TighteningSlot(*budget, 8, Encoding::kPlanes);
    REQUIRE(slot.ok());
    CHECK(slot->capacity == budget->capacity);
    CHECK(PredictedFpr(slot->geometry, slot->capacity) <= budget->budget_fpr);
  }
  CHECK_FALSE(TighteningBudget(config, ScalableFilter::kMaxGenerations).has_value());
}

}  // namespace trommel::tests
