#include "bench/family_trial.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the family trial measures every type beside a counting filter", "[bench][family]") {
  const FamilyOutcome outcome = RunFamilyTrial({.num_keys = 100'000}, 1);
  REQUIRE(outcome.wrong.empty());
  REQUIRE(outcome.rows.size() == std::size(kAllOps));
  for (const TrialRow& row : outcome.rows) {
    REQUIRE(row.sides.size() == kNumFamilySides);
    for (const Figures& figures : row.sides) {
      REQUIRE(figures.size() == 1);
      CHECK(figures[0] > 0);
    }
  }
  CHECK(FamilyColumns().size() == kNumFamilySides);
  CHECK(FamilyRatios().size() == kNumFamilySides - 1);
  CHECK_THAT(FormatFamilyMemory(outcome), ContainsSubstring("bits a key"));
}

TEST_CASE("queries of generations and buckets are held against four times a counting filter's",
          "[bench][family]") {
  FamilyOutcome outcome;
  for (const Op op : {Op::kQueryHit, Op::kQueryMiss}) {
    outcome.rows.push_back({std::string(OpName(op)), std::vector<Figures>(kNumFamilySides, {10})});
  }
  outcome.rows[0].sides[kScalableSide] = {41};
  const std::string verdicts = JudgeFamily(outcome);
  CHECK_THAT(verdicts,
             ContainsSubstring("query hit of 8 generations <= 4.0 x counting: 4.10  NOT"));
  CHECK_THAT(verdicts, ContainsSubstring("query miss of 8 buckets <= 4.0 x counting: 1.00  met"));
}

}  // namespace
}  // namespace trommel::bench
