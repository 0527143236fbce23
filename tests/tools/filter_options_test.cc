// Options of the types: each makes its type, and belongs to it alone.
#include "tools/trommel/options/filter_options.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("an option of another type is refused with both names", "[tools][family]") {
  const TempFolder folder;
  const auto error_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"build", "-n", "10", "-o", folder.Path("filter")});
    const ToolResult result = RunTool(arguments, "a\n");
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(error_of({"--max-capacity", "1M"}),
             ContainsSubstring("--max-capacity: is for --type scalable, not counting"));
  CHECK_THAT(error_of({"--window", "1h"}),
             ContainsSubstring("--window: is for --type window, not counting"));
  CHECK_THAT(error_of({"--type", "scalable", "--encoding", "runs"}),
             ContainsSubstring("--encoding: is for --type counting, not scalable"));
  CHECK_THAT(error_of({"--type", "window"}),
             ContainsSubstring("--window: is required with --type window"));
  CHECK(folder.Names().empty());
}

TEST_CASE("what the library refuses is said with the type and the option", "[tools][family]") {
  const TempFolder folder;
  const auto error_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"build", "-n", "10", "-o", folder.Path("f"), "--type"});
    const ToolResult result = RunTool(arguments, "a\n");
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(error_of({"window", "--window", "1h", "--buckets", "65"}),
             ContainsSubstring("--type window: --buckets is 65"));
  CHECK_THAT(error_of({"window", "--window", "1h", "-p", "1e-6"}),
             ContainsSubstring("--type window: -p is 1e-06; it must be between 1.6e-05 and 0.5"));
  CHECK_THAT(error_of({"scalable", "--max-capacity", "5"}),
             ContainsSubstring("--type scalable: --max-capacity is 5; it must be at least -n, 10"));
  CHECK_THAT(RunTool({"build", "-n", "1T", "-o", folder.Path("f")}).err,
             ContainsSubstring("trommel: -n is 1000000000000 and -p 0.01; together"));
  CHECK(folder.Names().empty());
}

TEST_CASE("a memory limit holds for every type", "[tools][family]") {
  const TempFolder folder;
  const std::string type = GENERATE("counting", "scalable", "window");
  std::vector<std::string> arguments = {
      "build", "--type", type, "-n", "1M", "--memory-limit", "10k", "-o", folder.Path("filter")};
  if (type == "window") arguments.insert(arguments.end(), {"--window", "1h"});
  const ToolResult result = RunTool(arguments, "a\n");
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, ContainsSubstring("--memory-limit"));
  CHECK(folder.Names().empty());
}

}  // namespace
}  // namespace trommel::tests
