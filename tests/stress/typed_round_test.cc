// One round with the filter that the plan's type names.
#include "tools/stress/typed_round.h"

#include "stress/sample_rounds.h"
#include "support/catch.h"

namespace trommel::stress {
namespace {

TEST_CASE("a plan's type says which filter is made", "[stress][round][threads]") {
  RoundPlan plan = ShortPlan(*FindMix("churn"), 4);
  plan.type = GENERATE(FilterType::kConcurrent, FilterType::kScalable, FilterType::kWindow);
  const Result<RoundResult> result = RunTypedRound(plan, {});
  REQUIRE(result.ok());
  INFO((result->violation ? result->violation->detail : ""));
  CHECK_FALSE(result->violation);
  CHECK(result->totals.num_checked > 0);
  CHECK((result->growth.most_generations > 0) == (plan.type == FilterType::kScalable));
}

}  // namespace
}  // namespace trommel::stress
