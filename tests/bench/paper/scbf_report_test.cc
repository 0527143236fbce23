// The paper on split counting filters, run small.
#include "bench/paper/scbf_report.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the paper on split counting filters is reproduced", "[paper]") {
  const Report report = ScbfReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(report.tables.size() == 6);
}

}  // namespace
}  // namespace trommel::paper
