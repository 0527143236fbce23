// Charts, drawn and as text.
#include "bench/paper/chart_svg.h"

#include <cmath>
#include <limits>

#include "bench/paper/report_json.h"
#include "bench/paper/report_svg.h"
#include "bench/paper/report_text.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

using Catch::Matchers::ContainsSubstring;

Chart MadeChart() {
  const double none = std::numeric_limits<double>::quiet_NaN();
  Chart chart{.title = "rates & <ends>", .x_name = "alpha", .y_name = "rate", .x = {0, 0.5, 1}};
  chart.lines = {{.name = "one", .y = {0.1, 0, 1}}, {.name = "two", .y = {none, 0.2, 0.3}}};
  chart.unit = Unit::kShare;
  chart.least_y = 1e-3;
  return chart;
}

TEST_CASE("a chart has a line a structure, and nothing leaves its frame", "[paper]") {
  for (const bool log_x : {false, true}) {
    Chart chart = MadeChart();
    chart.log_x = log_x;
    if (log_x) chart.x = {1, 10, 1000};
    const std::string svg = ChartSvg(chart, 20, 100);
    size_t num_lines = 0;
    for (size_t at = svg.find("points=\""); at != std::string::npos;
         at = svg.find("points=\"", at + 1)) {
      ++num_lines;
      const std::string points = svg.substr(at + 8, svg.find('"', at + 8) - at - 8);
      for (size_t comma = points.find(','); comma != std::string::npos;
           comma = points.find(',', comma + 1)) {
        const double y = std::stod(points.substr(comma + 1));
        CHECK(y >= 0);
        CHECK(y <= kChartHeight);
      }
    }
    CHECK(num_lines == 2);
    CHECK_THAT(svg, ContainsSubstring("rates &amp; &lt;ends&gt;") && ContainsSubstring(">two<"));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

TEST_CASE("charts are in the text, in JSON and in the picture", "[paper]") {
  Report report{.name = "made", .charts = {MadeChart()}};
  Row row{.what = "row", .exact = 1, .measured = 1, .instead = 0.25};
  report.tables = {{.title = "t", .rows = {row}, .instead = "the other"}};
  const std::string text = ReportText(report);
  CHECK_THAT(text, ContainsSubstring("the other") && ContainsSubstring("0.25  as modelled"));
  CHECK_THAT(text, ContainsSubstring("== rates & <ends>: rate\nalpha"));
  CHECK_THAT(text, ContainsSubstring("100 %         30 %"));
  const std::string json = ReportJson(report);
  CHECK_THAT(json, ContainsSubstring("\"instead\": 0.25") && ContainsSubstring("null"));
  CHECK_THAT(json, ContainsSubstring("\"charts\""));
  const std::string svg = ReportSvg(report);
  CHECK_THAT(svg, ContainsSubstring("<polyline") && ContainsSubstring("<polygon"));
}

}  // namespace
}  // namespace trommel::paper
