// Growth.
#include "bench/paper/claims.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("growth by generations loses nothing, and folding is exact", "[paper]") {
  const Report report{.tables = {GrowthClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "probes of a miss") == "holds in sound form");
  CHECK(RowOf(report, "Claim", "folded").measured == 1);
}

}  // namespace
}  // namespace trommel::paper
