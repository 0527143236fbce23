// The paper on split counting Bloom filters.
#include "bench/paper/scbf/scbf.h"

#include <numbers>

#include "bench/paper/report/random.h"
#include "bench/paper/report/report.h"
#include "bench/paper/report_checks.h"
#include "engine/src/classic/formulas.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("rates of generations are modelled, and each row of erasing names its generations",
          "[paper]") {
  const Report report{.tables = ScbfGenerations({.seed = Catch::rngSeed(), .quick = true})};
  CheckNothingContradicts(report);
  // The text has no figure of P_d: nothing to agree with.
  for (const Row& row : report.tables[0].rows) CHECK(Judge(row) == Verdict::kAsModelled);
  for (const Row& row : report.tables[1].rows) {
    CHECK(row.note.find(" generations. ") != std::string::npos);
  }
  CHECK(VerdictOf(report, "Scalable filter: live", "into one below half, from the oldest") ==
        "source is wrong");
  CHECK(VerdictOf(report, "Scalable filter: live", "into the newest, from each") ==
        "source is silent");
  CHECK(RowOf(report, "Scalable filter: live", "into the oldest that shows").measured == 0);
}

TEST_CASE("the worked example of figures 1 to 5 agrees", "[paper]") {
  const Report report{.tables = {ScbfFigures({.seed = Catch::rngSeed(), .quick = true})}};
  CHECK(report.tables[0].rows.size() == 9);
  for (const Row& row : report.tables[0].rows) {
    INFO(row.what);
    CHECK(Judge(row) == Verdict::kAgrees);
  }
}

TEST_CASE("one minus the sum is the rounding step that Table 4 prints", "[paper]") {
  CHECK(TailBySubtraction(std::numbers::ln2, 2) == Catch::Approx(0.15343).epsilon(1e-4));
  CHECK(TailBySubtraction(std::numbers::ln2, 16) == 0x1p-52);
  CHECK(TailBySubtraction(0, 1) == 0);
}

TEST_CASE("overflow is the same in both structures, and Tables 2 and 3 lack a factor", "[paper]") {
  const Report report{.tables = ScbfOverflow({.seed = Catch::rngSeed(), .quick = true})};
  CheckNothingContradicts(report);
  for (const char* bits : {"1 bit:", "2 bits:", "3 bits:", "4 bits:", "5 bits:"}) {
    CHECK(VerdictOf(report, "Tables 2", bits) == "slip of the source");
    CHECK(RowOf(report, "Tables 2", bits).exact == RowOf(report, "Table 4", bits).exact);
  }
  CHECK(VerdictOf(report, "Table 4", "3 bits:") == "agrees");
  CHECK(VerdictOf(report, "Table 4", "4 bits:") == "source is wrong");
  CHECK(VerdictOf(report, "The maximum", "3 bits, split") == "source is wrong");
}

TEST_CASE("the paper on split counting filters is reproduced", "[paper]") {
  const Report report = ScbfReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(report.tables.size() == 7);
}

}  // namespace

}  // namespace trommel::paper
