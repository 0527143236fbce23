// Table 1 of the paper on split counting filters.
#include "bench/paper/scbf_sizing.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("all figures of Table 1 agree", "[paper]") {
  const Report report{.tables = {ScbfSizing({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  REQUIRE(report.tables[0].rows.size() == 16);
  for (const Row& row : report.tables[0].rows) {
    INFO(row.what);
    CHECK(Judge(row) == Verdict::kAgrees);
  }
}

}  // namespace
}  // namespace trommel::paper
