// Erasing from window filters by the command: what is refused, what has expired, and what is said.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

// 200 s, one key each; `step` 1: in order, 77: in any. With "000" the times are in milliseconds.
std::string LogOfSeconds(int step, const std::string& more_digits = "") {
  std::string log;
  for (int i = 0; i < 200; ++i) {
    const int second = i * step % 200;
    log += std::to_string(1'700'000'000 + second) + more_digits + "\tkey" + std::to_string(second) +
           "\n";
  }
  return log;
}

Words BuildWindow(const std::string& filter, const Words& more) {
  return With({"build", "-o", filter, "--type", "window", "--window", "80s", "-n", "1000", "--time",
               "1", "--column", "2"},
              more);
}

Words EraseWindow(const std::string& filter) {
  return {"erase", filter, "--time", "1", "--column", "2"};
}

TEST_CASE("a key of a time past the window's clock is refused", "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun(BuildWindow(filter, {}), LogOfSeconds(1));
  const std::string before = folder.Read("filter");
  const ToolResult refused = RunTool(EraseWindow(filter), LogOfSeconds(1, "000"));
  CHECK(refused.exit_code == 3);
  CHECK_THAT(
      refused.err,
      ContainsSubstring("200 of 200 keys are certainly absent") &&
          ContainsSubstring("the first is (stdin):1: '1700000000000\\x09key0'") &&
          ContainsSubstring("200 of them have a time past the window filter's clock, perhaps "
                            "in another unit (--time-unit)") &&
          !ContainsSubstring("erased before"));
  // In the current bucket, but past the clock: what came then would have moved it.
  CHECK(RunTool(EraseWindow(filter), "1700000199.5\tkey199\n").exit_code == 3);
  CHECK(folder.Read("filter") == before);
  const ToolResult partial = RunTool(With(EraseWindow(filter), {"--partial", "--json"}),
                                     "1800000000\tx\n1700000199\tkey199\n");
  CHECK(partial.exit_code == 0);
  const auto report = nlohmann::json::parse(partial.out);
  CHECK(report["num_erased"] == 1);
  CHECK(report["num_refused"] == 1);
  CHECK_FALSE(report.contains("num_expired"));
}

TEST_CASE("a list whose keys have all expired gets a warning", "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun(BuildWindow(filter, {}), LogOfSeconds(1));
  const ToolResult wrong =
      RunTool(With(EraseWindow(filter), {"--time-unit", "ms"}), LogOfSeconds(1));
  CHECK(wrong.exit_code == 0);
  CHECK_THAT(wrong.err, ContainsSubstring("warning: nothing was erased, because all 200 keys have "
                                          "expired") &&
                            ContainsSubstring("--time-unit"));
  CHECK_THAT(RunTool(With(EraseWindow(filter), {"--json"}), "1700000000\tkey0\n").err,
             ContainsSubstring("because the key has expired"));
  // Some have expired: nothing to warn of.
  CHECK(RunTool(EraseWindow(filter), LogOfSeconds(1)).err.empty());
  CHECK(RunTool(EraseWindow(filter), "\n").err.empty());
}

TEST_CASE("a window made with --no-erase says so instead of calling keys absent",
          "[tools][erase]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun(BuildWindow(filter, {"--no-erase"}), LogOfSeconds(1));
  const std::string before = folder.Read("filter");
  const Words more = GENERATE(Words{}, Words{"--partial"});
  for (const Words& command : {EraseWindow(filter), Words{"erase", filter}}) {
    const ToolResult refused = RunTool(With(command, more), LogOfSeconds(1));
    CHECK(refused.exit_code == 2);
    CHECK(refused.err ==
          "trommel: keys cannot be erased: this window filter was made with --no-erase\n");
  }
  CHECK(folder.Read("filter") == before);
}

}  // namespace
}  // namespace trommel::tests
