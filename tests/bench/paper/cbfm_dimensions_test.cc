// Figure 12.
#include "bench/paper/cbfm_dimensions.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("questions are timed for every number of attributes and of tuples", "[paper][cbfm]") {
  Report report;
  CbfmDimensions({.seed = 1, .quick = true}, report);
  CheckNothingContradicts(report);
  REQUIRE(report.charts.size() == 1);
  const Chart& chart = report.charts[0];
  CHECK(chart.x == std::vector<double>{2, 3, 4});
  CHECK(chart.lines.size() == 6);
  for (const Line& line : chart.lines) {
    REQUIRE(line.y.size() == chart.x.size());
    for (const double ns : line.y) CHECK(ns > 0);
  }
}

}  // namespace
}  // namespace trommel::paper
