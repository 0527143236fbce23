// Tables 2 and 3 of the paper on cut Bloom filter matrices, to the printed digit.
#include "bench/paper/cbfm_sizing.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("tables 2 and 3 follow from the formulas but for two figures cut off", "[paper][cbfm]") {
  const Report report{.tables = CbfmSizing({.seed = Catch::rngSeed(), .quick = true})};
  REQUIRE(report.tables.size() == 3);
  CheckNothingContradicts(report);
  const struct {
    const char* eps;
    double bfm_tuples, cbfm_tuples, bfm_megabytes, cbfm_megabytes;
  } printed[] = {{"eps = 1e-1", 42, 604, 13'126.00, 2.74},
                 {"eps = 1e-2", 21, 302, 105'008.00, 10.96},
                 {"eps = 1e-3", 14, 201, 354'328.05, 24.65},
                 {"eps = 1e-4", 10, 151, 839'932.53, 43.81},
                 {"eps = 1e-5", 8, 121, 1'640'339.20, 68.46}};
  for (const auto& row : printed) {
    const std::string eps = row.eps;
    CHECK(RowOf(report, "Table 2", eps + ", BFM").formula == row.bfm_tuples);
    CHECK(RowOf(report, "Table 2", eps + ", CBFM").formula == row.cbfm_tuples);
    CHECK(*RowOf(report, "Table 3", eps + ", BFM").formula == Catch::Approx(row.bfm_megabytes));
    CHECK(*RowOf(report, "Table 3", eps + ", CBFM").formula == Catch::Approx(row.cbfm_megabytes));
    CHECK(VerdictOf(report, "Table 2", eps + ", BFM") == "agrees");
    CHECK(VerdictOf(report, "Table 2", eps + ", CBFM") == "agrees");
    CHECK(VerdictOf(report, "Table 3", eps + ", CBFM") == "agrees");
  }
  CHECK(VerdictOf(report, "Table 3", "eps = 1e-1, BFM") == "slip of the source");
  CHECK(VerdictOf(report, "Table 3", "eps = 1e-2, BFM") == "slip of the source");
  CHECK(VerdictOf(report, "Table 3", "eps = 1e-3, BFM") == "agrees");
}

TEST_CASE("filters answer as well as Table 3 asks in a hundredth of its memory", "[paper][cbfm]") {
  const Report report{.tables = CbfmSizing({.seed = Catch::rngSeed(), .quick = true})};
  for (const auto& [eps, rate] : {std::pair("eps = 1e-1", 0.1), std::pair("eps = 1e-2", 0.01)}) {
    const Row cells = RowOf(report, "Table 3", std::string(eps) + ", CBFM");
    CHECK(*cells.instead * 100 <= *cells.formula);
    const Row worst = RowOf(report, "What the MB", std::string(eps) + ", AttributeFilter");
    CHECK(*worst.measured <= rate);
    CHECK(*worst.measured > 0);
  }
  CHECK(*RowOf(report, "What the MB", "eps = 1e-1, the allowed pair").exact ==
        Catch::Approx(2.2e-12).epsilon(0.05));
}

}  // namespace
}  // namespace trommel::paper
