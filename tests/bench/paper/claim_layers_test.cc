// Layers.
#include "bench/paper/claims.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("layers take more space at the same rate, not less", "[paper]") {
  const Report report{.tables = {LayersClaim({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Claim", "space at the same rate, the listing") == "does not reproduce");
}

}  // namespace
}  // namespace trommel::paper
