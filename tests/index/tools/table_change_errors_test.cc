// trommel-index: changes of regions and indexes that cannot be made are one line, an exit code, and
// a table that is as it was.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

bool IsLine(const std::string& text) {
  return text.starts_with("trommel-index: ") && text.find('\n') + 1 == text.size();
}

struct Refused {
  std::string command;
  std::vector<std::string> arguments;
  std::string named;  // by the message
};

TEST_CASE("changes that do not fit the table are usage errors that name what is wrong", "[tools]") {
  const MadeTable table(210, {"--servers", "2", "--regions", "4", "--not-index", "shape"});
  const auto before = table.Report("regions", {});
  const std::vector<Refused> all = {
      {"split", {"4"}, "region 4"},
      {"split", {"0", "--key", "0200"}, "region 0"},
      {"split", {"1", "--key", before["regions"][1]["begin"]}, "region 1"},
      {"split", {"0", "--key", ""}, "region 0"},
      {"split", {"x"}, "REGION"},
      {"split", {"-1"}, ""},
      {"split", {"4294967296"}, "REGION"},
      {"split", {}, "REGION"},
      {"merge", {"0", "2"}, "region"},
      {"merge", {"1", "2"}, "server"},  // neighbours on two servers
      {"merge", {"0", "0"}, ""},
      {"merge", {"0", "9"}, "region 9"},
      {"merge", {"0"}, "OTHER"},
      {"move", {"0", "2"}, "got 2"},
      {"move", {"0", "0"}, "server 0"},
      {"move", {"7", "1"}, "region 7"},
      {"move", {"0"}, "SERVER"},
      {"add-index", {"colour"}, "'colour' has an index already"},
      {"add-index", {"color"}, "near it: 'colour'"},
      {"add-index", {"shape", "--rows-per-second", "0"}, "--rows-per-second"},
      {"add-index", {}, "ATTRIBUTE"},
      {"drop-index", {"shape"}, "'shape' has no index"},
      {"drop-index", {"color"}, "near it: 'colour'"},
      {"stats", {"--prometheus", "--json"}, "--prometheus"},
  };
  for (const Refused& each : all) {
    const ToolResult result = table.Run(each.command, each.arguments);
    CAPTURE(each.command, each.arguments, result.err);
    CHECK(result.exit_code == 2);
    CHECK(IsLine(result.err));
    CHECK(result.err.find(each.named) != std::string::npos);
    CHECK(result.out.empty());
  }
  CHECK(table.Report("regions", {}) == before);
  CHECK(table.Report("verify", {})["ok"] == true);
}

TEST_CASE("changes of a table that is not there are bad input", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Path("none");
  const std::vector<std::vector<std::string>> commands = {{"regions", path},
                                                          {"split", path, "0"},
                                                          {"merge", path, "0", "1"},
                                                          {"move", path, "0", "1"},
                                                          {"balance", path},
                                                          {"add-index", path, "a"},
                                                          {"drop-index", path, "a"},
                                                          {"verify", path, "--repair"},
                                                          {"stats", path, "--prometheus"}};
  for (const std::vector<std::string>& arguments : commands) {
    const ToolResult result = RunTool(arguments);
    CAPTURE(arguments, result.err);
    CHECK(result.exit_code == 3);
    CHECK(IsLine(result.err));
  }
  CHECK(folder.Names().empty());
}

TEST_CASE("a table without a lost server is opened if that is asked for", "[tools]") {
  const MadeTable table(210, {"--servers", "2", "--regions", "4"});
  std::filesystem::remove_all(table.path() + "/server-001");
  CHECK(table.Run("stats", {}).exit_code == 3);
  const auto stats = table.Report("stats", {"--without-lost"});
  CHECK(stats["stopped_servers"] == nlohmann::json({1}));
  CHECK(stats["servers"][1]["is_stopped"] == true);
  const ToolResult found =
      table.Run("query", {"colour=colour0", "--without-lost", "--timeout", "0.3"});
  CHECK(found.exit_code == 3);
  CHECK(found.err.find("NOT ANSWERED") != std::string::npos);
  CHECK(found.out.find("\n0005\t") != std::string::npos);  // what the other server has
  const ToolResult moved = table.Run("move", {"0", "1", "--without-lost"});
  CHECK(moved.exit_code == 3);
  CHECK(IsLine(moved.err));
  CHECK(moved.err.find("server 1") != std::string::npos);
}

TEST_CASE("an interrupted add-index keeps what it did, and goes on there", "[tools]") {
  const MadeTable table(210, {"--servers", "2", "--regions", "4", "--not-index", "tags"});
  RunningTool tool({"add-index", table.path(), "tags", "--rows-per-second", "1"});
  // Time to begin. If a slow machine needs longer, the signal comes earlier: what is checked holds
  // all the same.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  tool.Signal(SIGINT);
  const ToolResult result = tool.Wait();
  CHECK(result.signal == SIGINT);
  CAPTURE(result.err);
  if (!result.err.empty()) {  // empty: the signal came before the program noted it
    CHECK(result.err.starts_with("trommel-index: interrupted: "));
    CHECK(result.err.find("the index of 'tags' is to be made") != std::string::npos);
    CHECK(table.Report("stats", {})["attributes"][1]["state"] == "building");
  }
  CHECK(table.NumFound({"tags=t6"}) == 30);
  CHECK(table.Run("add-index", {"tags"}).exit_code == 0);
  CHECK(table.NumFound({"tags=t6"}) == 30);
  CHECK(table.Report("stats", {})["attributes"][1]["state"] == "indexed");
  CHECK(table.Report("verify", {})["ok"] == true);
}

}  // namespace
}  // namespace trommel::tests
