// A faster hash.
#include "bench/paper/claims.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("no space is saved by another hash", "[paper]") {
  const Report report{.tables = {HashClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "space") == "does not reproduce");
}

}  // namespace
}  // namespace trommel::paper
