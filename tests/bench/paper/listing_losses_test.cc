// What the listings do to keys.
#include "bench/paper/listing_losses.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("what the listings lose is what theory expects", "[paper]") {
  const Report report{.tables = {ListingLosses({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "The listings", "expiry") == "source is wrong");
  CHECK(RowOf(report, "The listings", "doubling: keys lost").measured > 0.4);
}

}  // namespace
}  // namespace trommel::paper
