// Paired figures, their summary, and tables of them.
#include "bench/text/figures.h"

#include <cmath>
#include <string>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("ratios are taken round by round", "[bench][table]") {
  const Ratio ratio = PairedRatio({10, 40, 30}, {5, 10, 10});
  CHECK(ratio.median == 3);
  CHECK(ratio.min == 2);
  CHECK(ratio.max == 4);
  CHECK(std::isnan(PairedRatio({}, {1}).median));
}

TEST_CASE("a trial's table has medians, ratios by round, and dashes for sides without figures",
          "[bench][table]") {
  const std::string table = FormatTrial(
      "a title", {"one", "two", "none"},
      {{"one / two", 0, 1}, {"none / one", 2, 0}, {"a title wider than its ratios", 0, 0}},
      {{"a row", {{10, 40, 30}, {5, 10, 10}, {}}}, {"another row", {{30, 50}, {10, 10}, {}}}});
  CHECK(table.starts_with("a title\n"));
  CHECK(table.find(" 30.00 ") != std::string::npos);
  CHECK(table.find("3.00 [2.00..4.00]") != std::string::npos);
  CHECK(table.find("4.00 [3.00..5.00]") != std::string::npos);
  CHECK(table.find("1.00 [1.00..1.00]\n") != std::string::npos);
  CHECK(table.find(" -") != std::string::npos);
  CHECK(table.find("nan") == std::string::npos);
  const std::string rows = table.substr(table.find('\n') + 1);
  const size_t line = rows.find('\n');
  CHECK(rows.find('\n', line + 1) == 2 * line + 1);  // all lines are equally long
}

TEST_CASE("what is printed into a string is what printf prints", "[bench][printed]") {
  CHECK(Printed("%d of %s, %.2f", 3, "four", 0.755) == "3 of four, 0.76");
  CHECK(Printed("%s", std::string(600, 'a').c_str()) == std::string(600, 'a'));
}

}  // namespace

}  // namespace trommel::bench
