// What the printed rate fits, and combination false positives.
#include "bench/paper/quick_experiment.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the printed rate fits both cuts with all tuples, or one cut with half of them",
          "[paper][cbfm]") {
  const Report report{.tables = {CbfmReadings(QuickExperiment(), 3)}};
  CheckNothingContradicts(report);
  for (const char* fits : {"two cuts, 20,000", "one cut, 10,000"}) {
    CHECK(*RowOf(report, "What 0.21", fits).exact == Catch::Approx(0.0022).epsilon(0.15));
  }
  for (const char* no_fit : {"two cuts, 10,000", "one cut, 20,000"}) {
    CHECK(VerdictOf(report, "What 0.21", no_fit) == "shown");
  }
}

TEST_CASE("what splits a question is deceived by its parts in different tuples", "[paper][cbfm]") {
  const Report report{.tables = {CbfmCombinations(QuickExperiment())}};
  CheckNothingContradicts(report);
  for (const char* split : {"MDBF", "CBFM, two cuts", "AttributeFilter"}) {
    CHECK(RowOf(report, "Combination", split).measured == 1);
  }
  for (const char* whole : {"SBF", "CMDBF", "BFM", "CBFM, one cut"}) {
    CHECK(RowOf(report, "Combination", whole).measured == 0);
  }
}

}  // namespace
}  // namespace trommel::paper
