// Where commands write: --wait takes seconds, on every command that replaces a file.
#include "tools/trommel/output_options.h"

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::RunTool;
using tests::TempFolder;

TEST_CASE("waits are whole or broken numbers of seconds", "[tools][output_options]") {
  const auto seconds_of = [](const std::string& text) {
    CLI::App app;
    double seconds = 60;
    AddWait(app, seconds);
    app.parse("--wait " + text);
    return seconds;
  };
  CHECK(seconds_of("0") == 0);
  CHECK(seconds_of("90") == 90);
  CHECK(seconds_of("0.25") == 0.25);
  CHECK(seconds_of("1000000") == 1e6);
  CHECK_FALSE(std::signbit(seconds_of("-0")));
}

TEST_CASE("what is no wait is refused with the legal range", "[tools][output_options]") {
  const TempFolder folder;
  const std::string text =
      GENERATE("-1", "1000001", "inf", "nan", "soon", "1s", "1 ", "0x1", "''", "1e99");
  const tests::ToolResult result = RunTool({"insert", "--wait=" + text, folder.Path("none")});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, ContainsSubstring("--wait: must be a number of seconds from 0 to "
                                           "1,000,000; got '" +
                                           text + "'"));
}

TEST_CASE("every command that replaces a file tells how it waits", "[tools][output_options]") {
  using Words = std::vector<std::string>;
  Words command = GENERATE(Words{"build"}, Words{"insert"}, Words{"erase"}, Words{"attr", "build"},
                           Words{"attr", "insert"}, Words{"attr", "erase"}, Words{"bench"});
  command.push_back("--help");
  const tests::ToolResult result = RunTool(command);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("--wait SECONDS"));
  CHECK_THAT(result.out, ContainsSubstring("exit 3"));
}

}  // namespace
}  // namespace trommel::tool
