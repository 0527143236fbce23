// The course text's blocklist.
#include "bench/paper/course_sizing.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the course text's bits and rate are slips, its hashes and gigabytes are right",
          "[paper]") {
  const Report report{.name = "",
                      .source = "",
                      .tables = {CourseSizing({.seed = Catch::rngSeed(), .quick = true})}};
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "A blocklist", "bits") == "slip of the source");
  CHECK(RowOf(report, "A blocklist", "bits").formula == 191'701'167'547);
  CHECK(RowOf(report, "A blocklist", "how the bits").formula == 131'571'428'572);
  CHECK(VerdictOf(report, "A blocklist", "rate at the printed") == "slip of the source");
  CHECK(VerdictOf(report, "A blocklist", "rate at the formula") == "slip of the source");
  CHECK(VerdictOf(report, "A blocklist", "GiB") == "agrees");
  CHECK(VerdictOf(report, "A blocklist", "hashes") == "agrees");
}

}  // namespace
}  // namespace trommel::paper
