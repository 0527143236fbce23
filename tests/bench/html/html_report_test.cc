#include "bench/html/html_report.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"

namespace trommel::bench {
namespace {

// What the page's script reads.
nlohmann::json DataIn(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"report\">";
  const size_t from = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST_CASE("a page holds any text as data, never as markup", "[bench]") {
  const std::string hostile = "</script><script>alert(1)</script> \"quoted\" \\ \xff";
  HtmlReport report{.title = hostile, .command = hostile};
  report.sections.push_back(
      {.title = hostile, .tables = {{.title = "t", .head = {"a"}, .rows = {{{hostile}}}}}});
  const std::string html = HtmlText(report);
  // The data, uPlot and the report's own script: nothing else is a script.
  size_t num_scripts = 0;
  for (size_t at = html.find("<script"); at != std::string::npos;
       at = html.find("<script", at + 1)) {
    ++num_scripts;
  }
  CHECK(num_scripts == 3);
  CHECK(html.find("alert(1)</script>") == std::string::npos);
  const nlohmann::json data = DataIn(html);
  CHECK(data["title"].get<std::string>().starts_with("</script><script>alert(1)"));
  CHECK(data["sections"][0]["tables"][0]["rows"][0][0].get<std::string>().starts_with("</script>"));
}

TEST_CASE("a page needs no other file and no network", "[bench]") {
  const std::string html = HtmlText({.title = "t"});
  CHECK(html.find("default-src 'none'") != std::string::npos);
  for (const char* loads : {"src=\"", "href=\"http", "@import", "url("}) {
    CAPTURE(loads);
    CHECK(html.find(loads) == std::string::npos);
  }
}

TEST_CASE("lines of a chart share x, and have a gap where they have no figure", "[bench]") {
  RangeLines lines;
  lines.Add("a", 10, RangeOfRepetitions({3, 1, 2}));
  lines.Add("a", 30, RangeOfRepetitions({5}));
  lines.AddBound("model", 20, 7);
  HtmlChart chart;
  lines.PutInto(chart);
  REQUIRE(chart.x == std::vector<double>{10, 20, 30});
  REQUIRE(chart.lines.size() == 2);
  CHECK(chart.lines[0].y[0] == 2);
  CHECK(chart.lines[0].low[0] == 1);
  CHECK(chart.lines[0].high[0] == 3);
  CHECK(std::isnan(chart.lines[0].y[1]));
  CHECK(chart.lines[1].is_dashed);
  CHECK(chart.lines[1].low.empty());

  const nlohmann::json data =
      DataIn(HtmlText({.sections = {{.title = "s", .charts = {std::move(chart)}}}}));
  CHECK(data["sections"][0]["charts"][0]["lines"][0]["y"] == nlohmann::json({2, nullptr, 5}));
}

}  // namespace
}  // namespace trommel::bench
