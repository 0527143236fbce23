// The article on space, run small.
#include "bench/paper/claims_report.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the article on space is reproduced", "[paper]") {
  const Report report = ClaimsReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(report.tables.size() == 6);
}

}  // namespace
}  // namespace trommel::paper
