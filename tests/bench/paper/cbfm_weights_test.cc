// Figure 9.
#include "bench/paper/cbfm_weights.h"

#include "bench/paper/quick_experiment.h"
#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("no weights give both printed gains", "[paper][cbfm]") {
  const Report report{.tables = CbfmWeights(kQuickCbfm, QuickExperiment())};
  CheckNothingContradicts(report);
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) CHECK(Judge(row) != Verdict::kAgrees);
  }
  CHECK(*RowOf(report, "Fig. 9: weights w", "w = 16, pair").exact > 5);
  CHECK(*RowOf(report, "Fig. 9: what weights", "two cuts, 20,000 tuples: pair").formula < 1.05);
}

}  // namespace
}  // namespace trommel::paper
