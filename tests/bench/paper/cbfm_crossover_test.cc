#include "bench/paper/cbfm_crossover.h"

#include "bench/paper/quick_experiment.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("filters reach a matrix's rate with more memory where tuples are as many as cells",
          "[paper][cbfm]") {
  Report report;
  CbfmCrossover(kQuickCbfm, QuickExperiment(), report);
  CheckNothingContradicts(report);
  const char* table = "Crossover: the memory";
  CHECK(RowOf(report, table, "question {0}, MB").formula == 0);  // the matrix says nothing
  const double pair = *RowOf(report, table, "question {1,2}, MB").formula;
  CHECK(pair > 16.0 * 20'000 / 1e7);
  CHECK(RowOf(report, table, "question {0,1,2}, MB").formula == pair);
  const double tuples = *RowOf(report, "Crossover by tuples", "tuples at which").formula;
  CHECK(tuples > 500'000);
  CHECK(tuples < 10'000'000);
}

TEST_CASE("a filter for a rate that says nothing takes nothing", "[paper][cbfm]") {
  CHECK(FilterBytes(1000, 1) == 0);
  CHECK(FilterBytes(1000, 0.1) > 0);
  CHECK(FilterBytes(1'000'000, 1e-4) > FilterBytes(1'000'000, 1e-2));
  CHECK(FilterBytes(1000, 1e-30) == FilterBytes(1000, 1e-6));
}

}  // namespace
}  // namespace trommel::paper
