#include "bench/ratio_table.h"

#include <cmath>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("the median of an even number of figures is between the middle two", "[bench][table]") {
  CHECK(Median({3, 1, 2}) == 2);
  CHECK(Median({4, 1, 2, 3}) == 2.5);
  CHECK(std::isnan(Median({})));
}

TEST_CASE("ratios are taken round by round", "[bench][table]") {
  const Ratio ratio = PairedRatio({10, 40, 30}, {5, 10, 10});
  CHECK(ratio.median == 3);
  CHECK(ratio.min == 2);
  CHECK(ratio.max == 4);
  CHECK(std::isnan(PairedRatio({}, {1}).median));
}

TEST_CASE("the table shows a dash for what a side cannot do", "[bench][table]") {
  const TableRow row{"erase", {10, 10}, {11, 11}, {30, 50}, {100, 100}, {}, {5, 5}};
  const std::string table = FormatTable("a title", {row});
  CHECK(table.starts_with("a title\n"));
  CHECK(table.find("4.00 [3.00..5.00]") != std::string::npos);
  CHECK(table.find("10.00 [10.00..10.00]") != std::string::npos);
  CHECK(table.find("50%") != std::string::npos);
  CHECK(table.ends_with("-\n"));
  CHECK(table.find("nan") == std::string::npos);
}

}  // namespace
}  // namespace trommel::bench
