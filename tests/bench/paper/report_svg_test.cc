// Reports as pictures.
#include "bench/paper/report_svg.h"

#include <algorithm>

#include "bench/paper/made_report.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

size_t NumFound(const std::string& text, const std::string& part) {
  size_t num_found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++num_found;
  }
  return num_found;
}

TEST_CASE("the picture has a mark for every figure, and one of each kind in the legend",
          "[paper]") {
  const std::string svg = ReportSvg(MadeReport());
  CHECK(NumFound(svg, "<path") == 1 + 3);      // paper
  CHECK(NumFound(svg, "<circle") == 1 + 3);    // measured
  CHECK(NumFound(svg, "<rect") == 1 + 1 + 2);  // the ground, and formulas
  CHECK(NumFound(svg, "<text") == NumFound(svg, "</text>"));
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("overflow &amp; &lt;tail&gt;") != std::string::npos);
  CHECK(svg.find("does not reproduce") != std::string::npos);
  CHECK(svg.find("href") == std::string::npos);  // it needs no other file
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("no mark leaves the picture, whatever the figures", "[paper]") {
  Report report = MadeReport();
  report.tables[0].rows[0].paper = 0;  // a ratio of zero
  report.tables[0].rows[1].paper = -1;
  report.tables[1].rows[0].paper = 1e300;
  const std::string svg = ReportSvg(report);
  size_t num_circles = 0;
  for (size_t at = svg.find("cx=\""); at != std::string::npos; at = svg.find("cx=\"", at + 1)) {
    const double x = std::stod(svg.substr(at + 4));
    CHECK(x >= 0);
    CHECK(x <= 1180);
    ++num_circles;
  }
  CHECK(num_circles == 4);
}

}  // namespace
}  // namespace trommel::paper
