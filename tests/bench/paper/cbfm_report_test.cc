#include "bench/paper/cbfm_report.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the paper on cut matrices is reproduced with few tuples", "[paper][cbfm]") {
  const Report report = CbfmReport({.seed = 4, .quick = true, .tuples = 3000});
  CheckNothingContradicts(report);
  CHECK(report.tables.size() == 15);
  CHECK(report.charts.size() == 6);
}

}  // namespace
}  // namespace trommel::paper
