// Reports and charts as text and as pages.
#include <limits>
#include <nlohmann/json.hpp>

#include "bench/paper/report/report.h"
#include "bench/paper/report_checks.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the text has one line per row with all figures and the verdict", "[paper]") {
  const std::string text = ReportText(MadeReport());
  CHECK_THAT(text, ContainsSubstring("made: a source"));
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

Chart MadeChart() {
  const double none = std::numeric_limits<double>::quiet_NaN();
  Chart chart{.title = "rates & <ends>", .x_name = "alpha", .y_name = "rate", .x = {0, 0.5, 1}};
  chart.lines = {{.name = "one", .y = {0.1, 0, 1}}, {.name = "two", .y = {none, 0.2, 0.3}}};
  chart.unit = Unit::kShare;
  chart.least_y = 1e-3;
  return chart;
}

TEST_CASE("a page draws a table's figure with the model's line and the source's points",
          "[paper]") {
  Report report{.name = "made", .charts = {MadeChart()}};
  Line& one = report.charts[0].lines[0];
  one.exact = {0.11, 0.5, 1};
  one.paper = {std::numeric_limits<double>::quiet_NaN(), 0.25, 1};
  report.tables = {{.title = report.charts[0].title, .rows = {{.what = "row", .measured = 1}}}};
  const std::string page = ReportHtml(report, "made");
  const std::string begin = "id=\"report\">";
  const size_t from = page.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  REQUIRE(data["sections"].size() == 1);  // one for both
  REQUIRE(data["sections"][0]["charts"].size() == 1);
  const nlohmann::json& lines = data["sections"][0]["charts"][0]["lines"];
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["name"] == "one");
  CHECK(lines[0]["y"] == nlohmann::json({10, nullptr, 100}));  // powers of ten have no zero
  CHECK(lines[2]["name"] == "one: exact model");
  CHECK(lines[2]["is_dashed"] == true);
  CHECK(lines[2]["colour_of"] == 0);
  CHECK(lines[2]["y"] == nlohmann::json({11, 50, 100}));
  CHECK(lines[3]["name"] == "one: source");
  CHECK(lines[3]["is_points"] == true);
  CHECK(lines[3]["y"] == nlohmann::json({nullptr, 25, 100}));
}

}  // namespace

}  // namespace trommel::paper
