// Tables 2 to 4 of the paper on split counting filters.
#include "bench/paper/scbf_overflow.h"

#include <numbers>

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the sum taken from one leaves the rounding step that Table 4 prints", "[paper]") {
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

}  // namespace
}  // namespace trommel::paper
