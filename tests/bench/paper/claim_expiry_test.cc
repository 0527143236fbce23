// Expiry by time.
#include "bench/paper/claims.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("whole buckets expire and hide no live key", "[paper]") {
  const Report report{.tables = {ExpiryClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "60 % expired: memory freed") == "holds in sound form");
  CHECK(RowOf(report, "Claim", "live keys hidden").measured == 0);
}

}  // namespace
}  // namespace trommel::paper
