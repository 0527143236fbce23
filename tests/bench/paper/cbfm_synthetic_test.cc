// Figure 7, as told.
#include "bench/paper/cbfm_synthetic.h"

#include "bench/paper/quick_experiment.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("figure 7 is told with a model beside every figure", "[paper][cbfm]") {
  Report report;
  CbfmSynthetic(kQuickCbfm, QuickExperiment(), report);
  CHECK(report.tables.size() == 5);
  CHECK(report.charts.size() == 3);
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Fig. 7a", "MDBF, alpha = 1") == "agrees");
  CHECK(VerdictOf(report, "Fig. 7b: the pair", "BFM, alpha = 1") == "agrees");
  CHECK(RowOf(report, "Fig. 7b: the pair", "CBFM, two cuts, alpha = 1").paper == 0.0021);
  CHECK(report.charts[0].x.size() == 11);
  CHECK(report.charts[0].lines.size() == 8);
  CHECK(report.charts[1].lines.size() == 7);  // SBF does not answer
}

}  // namespace
}  // namespace trommel::paper
