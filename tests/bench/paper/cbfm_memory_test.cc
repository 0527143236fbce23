// Figure 11.
#include "bench/paper/cbfm_memory.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("memory against attributes is formula (4)'s, and a cut saves two orders",
          "[paper][cbfm]") {
  Report report;
  CbfmMemory({.seed = 1, .quick = true}, report);
  CheckNothingContradicts(report);
  const Row four = RowOf(report, "Fig. 11", "4 attributes, CBFM");
  CHECK(*four.formula == Catch::Approx(481.0 * 481 * (481.0 * 481 - 480.0 * 480) / 8));
  CHECK(*four.formula == Catch::Approx(*four.exact));
  CHECK(*four.measured == Catch::Approx(*four.exact).epsilon(1e-3));
  CHECK(*four.instead < *four.measured / 500);
  CHECK(VerdictOf(report, "Fig. 11", "4 attributes: BFM over") == "agrees");
}

}  // namespace
}  // namespace trommel::paper
