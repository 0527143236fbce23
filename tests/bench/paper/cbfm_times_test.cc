// Figure 10.
#include "bench/paper/cbfm_times.h"

#include "bench/paper/quick_experiment.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("questions are timed of every structure that answers them", "[paper][cbfm]") {
  const Report report{.tables = {CbfmTimes(kQuickCbfm, QuickExperiment())}};
  CheckNothingContradicts(report);
  for (const char* what :
       {"whole, negatives: SBF", "whole, positives: literal CBFM, two cuts / literal BFM",
        "whole, positives: AttributeFilter / CBFM", "{1,2}, negatives: CBFM, one cut"}) {
    CHECK(*RowOf(report, "Fig. 10", what).measured > 0);
  }
  for (const Row& row : report.tables[0].rows) CHECK(row.what != "{1,2}, negatives: SBF");
}

}  // namespace
}  // namespace trommel::paper
