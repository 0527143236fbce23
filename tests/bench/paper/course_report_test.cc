// The reproduction of the course text, run small.
#include "bench/paper/course_report.h"

#include "bench/paper/report_checks.h"

namespace trommel::paper {
namespace {

TEST_CASE("the course text is reproduced, slips and all", "[paper]") {
  const Report report = CourseReport({.seed = Catch::rngSeed(), .quick = true});
  CheckNothingContradicts(report);
  CHECK(VerdictOf(report, "Hashes", "bits of an MD5") == "slip of the source");
  CHECK(VerdictOf(report, "Hashes", "rows of 100") == "slip of the source");
  CHECK(VerdictOf(report, "Hashes", "bit 20001: index") == "agrees");
  CHECK(VerdictOf(report, "A thousand", "chance") == "source is wrong");
  CHECK(VerdictOf(report, "10 TB", "strings found") == "agrees");
  CHECK(VerdictOf(report, "Which store files", "ROWCOL: files read by get(r1,q1)") == "agrees");
}

}  // namespace
}  // namespace trommel::paper
