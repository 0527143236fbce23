#include "bench/trial_table.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("a trial's table has medians, ratios by round, and dashes for who did not take part",
          "[bench][trial]") {
  const std::string table =
      FormatTrial("a title", {"one", "two", "none"}, {{"one / two", 0, 1}, {"none / one", 2, 0}},
                  {{"a row", {{10, 40, 30}, {5, 10, 10}, {}}}});
  CHECK(table.starts_with("a title\n"));
  CHECK(table.find("30.00") != std::string::npos);
  CHECK(table.find("3.00 [2.00..4.00]") != std::string::npos);
  CHECK(table.find(" -") != std::string::npos);
}

}  // namespace
}  // namespace trommel::bench
