// Reports as text.
#include "bench/paper/report_text.h"

#include "bench/paper/made_report.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the text has a line a row with all figures and the verdict", "[paper]") {
  const std::string text = ReportText(MadeReport());
  CHECK_THAT(text, ContainsSubstring("made: nobody"));
  CHECK_THAT(text, ContainsSubstring("== first\nA text.\n"));
  CHECK_THAT(text, ContainsSubstring("131,571,428,572  191,701,167,547"));
  CHECK_THAT(text, ContainsSubstring("<= 3e-09  slip of the source\n      a note\n"));
  CHECK_THAT(text, ContainsSubstring("+0.1 %  does not reproduce"));
  CHECK_THAT(text, ContainsSubstring("1.01 %  as modelled"));
  CHECK_THAT(text,
             ContainsSubstring("rows: 2 slip of the source, 1 does not reproduce, 1 as model"));
}

TEST_CASE("long text is broken at spaces and keeps its own line ends", "[paper]") {
  CHECK(Wrapped("aa bb cc", 2, 7) == "  aa bb\n  cc\n");
  CHECK(Wrapped("aa\nbb", 0, 7) == "aa\nbb\n");
  CHECK(Wrapped("", 3).empty());
  CHECK(Wrapped("longerthanwide x", 0, 5) == "longerthanwide\nx\n");
}

}  // namespace
}  // namespace trommel::paper
