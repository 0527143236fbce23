// An adaptive number of hashes.
#include "bench/paper/claims.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("fewer probes and slices answer for every key", "[paper]") {
  const Report report{.tables = {ProbesClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "space given back, filter full") == "does not reproduce");
  CHECK(RowOf(report, "Claim", "space given back, filter half").measured < -0.2);
}

}  // namespace
}  // namespace trommel::paper
