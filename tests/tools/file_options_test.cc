// --wait, on every command that replaces a file; --memory-limit, on every command that loads one;
// --now, on those that look at a window.
#include "tools/trommel/options/file_options.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::MustRun;
using tests::RunTool;
using tests::TempFolder;

TEST_CASE("waits are whole numbers or fractions of seconds", "[tools][file_options]") {
  const auto seconds_of = [](const std::string& text) {
    CommandLine line("");
    double seconds = 60;
    AddWait(line, seconds);
    CHECK(line.Run({"--wait", text}, [] { return kDone; }) == kDone);
    return seconds;
  };
  CHECK(seconds_of("0") == 0);
  CHECK(seconds_of("90") == 90);
  CHECK(seconds_of("0.25") == 0.25);
  CHECK(seconds_of("1000000") == 1e6);
  CHECK_FALSE(std::signbit(seconds_of("-0")));
}

TEST_CASE("every command that loads a filter takes no more than --memory-limit",
          "[tools][file_options]") {
  const TempFolder folder;
  const std::string keys = folder.Path("keys");
  const std::string rows = folder.Path("rows");
  MustRun({"build", "-n", "1M", "--encoding", "fingerprints16", "-o", keys}, "a\n");
  std::string many = "a\tb\n";
  for (int i = 0; i < 20'000; ++i) many += std::to_string(i) + "\t2\n";
  MustRun({"attr", "build", "-n", "1M", "-o", rows}, many);
  for (std::vector<std::string> command :
       std::vector<std::vector<std::string>>{{"query", keys},
                                             {"stats", keys},
                                             {"verify", keys},
                                             {"insert", keys},
                                             {"grow", keys},
                                             {"attr", "query", rows},
                                             {"stats", rows},
                                             {"attr", "insert", rows}}) {
    CAPTURE(command);
    const bool has_rows = command[0] == "attr";
    command.insert(command.end(), {"--memory-limit", "100kB"});
    const tests::ToolResult refused = RunTool(command, has_rows ? "a\tb\n1\t2\n" : "a\n");
    CHECK(refused.exit_code == kBadInput);
    CHECK_THAT(refused.err, ContainsSubstring("100,000"));
    CHECK_THAT(refused.err, !ContainsSubstring("memory_limit_bytes"));
  }
  CHECK(RunTool({"query", keys, "--memory-limit", "64MiB"}, "a\n").exit_code == 0);
}

TEST_CASE("what is no wait is refused with the legal range", "[tools][file_options]") {
  const TempFolder folder;
  const std::string text = GENERATE("-1", "1000001", "nan", "1s");
  const tests::ToolResult result = RunTool({"insert", "--wait=" + text, folder.Path("none")});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, ContainsSubstring("--wait: must be a number of seconds from 0 to "
                                           "1,000,000; got '" +
                                           text + "'"));
}

}  // namespace
}  // namespace trommel::tool

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a saved window can be seen as of a later time", "[tools][file_options]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "--type", "window", "--window", "100s", "--buckets", "4", "-n", "100", "--time",
           "2", "-o", filter},
          "a\t1000\nb\t1060\n");
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

TEST_CASE("a time that cannot be is refused by the option's name", "[tools][file_options]") {
  const TempFolder folder;
  const std::string window = folder.Path("window");
  const std::string counting = folder.Path("counting");
  MustRun(
      {"build", "--type", "window", "--window", "100s", "-n", "100", "--time", "2", "-o", window},
      "a\t1000\n");
  MustRun({"build", "-n", "100", "-o", counting}, "a\n");
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
             ContainsSubstring("--now: counting filters have no time"));
  CHECK_THAT(error_of({"query", window, "--time-unit", "ms"}), ContainsSubstring("--now"));
}

}  // namespace
}  // namespace trommel::tests
