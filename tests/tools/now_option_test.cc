// --now: a saved window seen later, and what is no time to see it at.
#include "tools/trommel/now_option.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a saved window can be seen as of a later time", "[tools][now_option]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  REQUIRE(RunTool({"build", "--type", "window", "--window", "100s", "--buckets", "4", "-n", "100",
                   "--time", "2", "-o", filter},
                  "a\t1000\nb\t1060\n")
              .exit_code == 0);
  const std::string saved = folder.Read("filter");
  CHECK(RunTool({"query", filter, "-c"}, "a\nb\n").out == "2\n");
  CHECK(RunTool({"query", filter, "-c", "--now", "1099"}, "a\nb\n").out == "2\n");
  CHECK(RunTool({"query", filter, "-c", "--now", "1125"}, "a\nb\n").out == "1\n");
  CHECK(RunTool({"query", filter, "-c", "--now", "1185000", "--time-unit", "ms"}, "a\nb\n").out ==
        "0\n");
  const ToolResult stats = RunTool({"stats", filter, "--json", "--now", "1970-01-01T00:18:45Z"});
  const nlohmann::json report = nlohmann::json::parse(stats.out);
  CHECK(report["now"] == 1125000);
  CHECK(report["num_keys"] == 1);
  CHECK(folder.Read("filter") == saved);
}

TEST_CASE("a time that cannot be is refused by the option's name", "[tools][now_option]") {
  const TempFolder folder;
  const std::string window = folder.Path("window");
  const std::string counting = folder.Path("counting");
  REQUIRE(RunTool({"build", "--type", "window", "--window", "100s", "-n", "100", "--time", "2",
                   "-o", window},
                  "a\t1000\n")
              .exit_code == 0);
  REQUIRE(RunTool({"build", "-n", "100", "-o", counting}, "a\n").exit_code == 0);
  const auto error_of = [](const std::vector<std::string>& arguments) {
    const ToolResult result = RunTool(arguments);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(error_of({"stats", window, "--now", "999"}),
             ContainsSubstring("--now: the window filter's time is 1000000 ms already"));
  CHECK_THAT(error_of({"stats", window, "--now", "soon"}),
             ContainsSubstring("--now: not a time: 'soon'"));
  CHECK_THAT(error_of({"stats", counting, "--now", "1"}),
             ContainsSubstring("--now: a counting filter knows no time"));
  CHECK_THAT(error_of({"query", window, "--time-unit", "ms"}), ContainsSubstring("--now"));
}

}  // namespace
}  // namespace trommel::tests
