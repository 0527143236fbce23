// Times in another unit: found before they move a clock that never goes back.
#include "tools/trommel/input/time_leaps.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using Times = std::vector<uint64_t>;

TEST_CASE("a leap is what lies too far past the latest time before", "[tools][time_leaps]") {
  TimeLeaps leaps({.max_leap = 100, .clock = 1000});
  CHECK(leaps.Find(Times{1100, 5, 1200, 1100, 1299}) == std::nullopt);
  CHECK(leaps.Find(Times{1300, 1401}) == 1);
  CHECK(leaps.Find(Times{1401}) == 0);
  CHECK(leaps.Find(Times{1400}) == std::nullopt);
}

TEST_CASE("the first time sets the clock, and one of two that are far apart is wrong",
          "[tools][time_leaps]") {
  TimeLeaps forward({.max_leap = 100, .clock = {}});
  CHECK(forward.Find(Times{5000, 4950, 5101}) == 2);
  TimeLeaps backward({.max_leap = 100, .clock = {}});
  CHECK(backward.Find(Times{5000, 4950, 4899}) == 2);
  TimeLeaps moved({.max_leap = 100, .clock = {}});
  CHECK(moved.Find(Times{5000, 5050, 1}) == std::nullopt);
  TimeLeaps any({});
  CHECK(any.Find(Times{1, UINT64_MAX, 0}) == std::nullopt);
}

}  // namespace
}  // namespace trommel::tool

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

// 200 events, one a second; one of them in milliseconds.
std::string Log(int wrong) {
  std::string log;
  for (int i = 0; i < 200; ++i) {
    log += std::to_string(1'700'000'000 + i) + (i == wrong ? "000" : "") + "\tkey" +
           std::to_string(i) + "\n";
  }
  return log;
}

TEST_CASE("a time in another unit is refused by its line, and nothing is written",
          "[tools][time_leaps]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string threads = GENERATE("1", "4");
  const Words build = {"build", "-o",     filter, "--type",   "window", "--window",  "10m",  "-n",
                       "1000",  "--time", "1",    "--column", "2",      "--threads", threads};
  const std::string bad = folder.Write("bad", "\n" + Log(100));
  const ToolResult built = RunTool(With(build, {bad}));
  CHECK(built.exit_code == 3);
  CHECK_THAT(built.err, ContainsSubstring("bad:102: the time '1700000100000' is ") &&
                            ContainsSubstring("past the clock (1700000099000 ms)") &&
                            ContainsSubstring("--max-leap SPAN"));
  CHECK(folder.Names() == Words{"bad"});
  MustRun(build, Log(-1));

  const std::string before = folder.Read("filter");
  const Words insert = {"insert", filter, "--time", "1", "--column", "2"};
  const ToolResult inserted = RunTool(insert, "1700000300000\tx\n");
  CHECK(inserted.exit_code == 3);
  CHECK_THAT(inserted.err, ContainsSubstring("(stdin):1: the time"));
  CHECK(folder.Read("filter") == before);
  CHECK(RunTool(insert, "1700600000\tx\n").exit_code == 0);  // 1,000 windows are 600,000 s
}

TEST_CASE("a leap that is meant is allowed by name", "[tools][time_leaps]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const Words build = {"build", "-f",     "-o", filter,     "--type", "window", "--window",
                       "10s",   "--time", "1",  "--column", "2",      "-n",     "1000"};
  const std::string gap = "1700000000\ta\n1700086400\tb\n";  // a day
  CHECK(RunTool(build, gap).exit_code == 3);
  CHECK(RunTool(With(build, {"--max-leap", "1d"}), gap).exit_code == 0);
  CHECK(RunTool(With(build, {"--max-leap", "any"}), gap).exit_code == 0);
  CHECK(RunTool(With(build, {"--max-leap", "far"}), gap).exit_code == 2);
}

TEST_CASE("a forgotten --time does not empty a window of an old log", "[tools][time_leaps]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-o", filter, "--type", "window", "--window", "10m", "-n", "1000", "--time",
           "1", "--column", "2"},
          Log(-1));
  const std::string before = folder.Read("filter");
  const ToolResult forgot = RunTool({"insert", filter}, "x\n");
  CHECK(forgot.exit_code == 3);
  CHECK_THAT(forgot.err, ContainsSubstring(
                             "past the window filter's clock (1700000199000 ms), more than 6d ") &&
                             ContainsSubstring("name the column of the keys' times with --time") &&
                             ContainsSubstring("--max-leap"));
  CHECK(RunTool({"insert", filter, "--max-leap", "1d"}, "x\n").exit_code == 3);
  CHECK(folder.Read("filter") == before);
}

TEST_CASE("the option --max-leap is for window filters", "[tools][time_leaps]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  CHECK(RunTool({"build", "-n", "9", "--max-leap", "1d", "-o", filter}, "a\n").exit_code == 2);
  MustRun({"build", "-n", "9", "-o", filter}, "a\n");
  const ToolResult refused = RunTool({"insert", filter, "--max-leap", "any"}, "a\n");
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, ContainsSubstring("--max-leap is for window filters"));
  CHECK(RunTool({"dedup", "--type", "window", "--window", "10m", "-n", "9", "--max-leap", "1d"},
                "a\n")
            .out == "a\n");
}

TEST_CASE("dedup prints what came before a leap", "[tools][time_leaps]") {
  const ToolResult result = RunTool({"dedup", "--type", "window", "--window", "10m", "-n", "1000",
                                     "--time", "1", "--column", "2"},
                                    Log(3));
  CHECK(result.exit_code == 3);
  CHECK(result.out == Log(-1).substr(0, result.out.size()));
  CHECK_THAT(result.out, ContainsSubstring("key2\n") && !ContainsSubstring("key3"));
}

}  // namespace
}  // namespace trommel::tests
