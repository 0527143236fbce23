// trommel-index: what is wrong is one line, an exit code, and a table that is as it was.
#include <signal.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/index/cluster.h"

namespace trommel::tests {
namespace {

bool IsOneLine(const std::string& text) {
  return text.starts_with("trommel-index: ") && text.find('\n') + 1 == text.size();
}

TEST_CASE("options out of range are usage errors, and no table is made", "[tools]") {
  const TempFolder folder;
  const std::string rows = folder.Write("f", "k\ta\nx\t1\n");
  const std::vector<std::vector<std::string>> wrong = {
      {"--rate", "nan"},
      {"--rate", "0"},
      {"--rate", "1"},
      {"--servers", "0"},
      {"--servers", "257"},
      {"--regions", "0"},
      {"--regions", "60001"},
      {"--versions", "0"},
      {"--versions", "101"},
      {"--batch", "0"},
      {"--memory", "0"},
      {"--structure", "other"},
      {"--key", "none"},
      {"--index", "none"},
      {"--key", "k,k"},
      {"--append"},
      {"--set-valued", "x"},
      {"--not-index", "x"},
      {"--append", "--key", "k", "--servers", "3"}};
  for (const std::vector<std::string>& options : wrong) {
    std::vector<std::string> arguments = {"load", folder.Path("table"), rows};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ToolResult result = RunTool(arguments);
    CAPTURE(options, result.err);
    CHECK(result.exit_code == 2);
    CHECK(IsOneLine(result.err));
  }
  CHECK(folder.Names() == std::vector<std::string>{"f"});
}

TEST_CASE("commands say what is missing", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Path("none");
  CHECK(RunTool({}).exit_code == 2);
  CHECK(RunTool({"load", path}).exit_code == 2);
  CHECK(RunTool({"query", path}).exit_code == 2);
  CHECK(RunTool({"put", path}).exit_code == 2);
  CHECK(RunTool({"put", path, "key", "--tsv", "-", "--key", "k"}).exit_code == 2);
  CHECK(RunTool({"put", path, "--tsv", "-"}).exit_code == 2);
  CHECK(RunTool({"delete", path}).exit_code == 2);
  CHECK(RunTool({"delete", path, "key", "--keys", "-"}).exit_code == 2);
}

TEST_CASE("a table that is not there is bad input, and is not made", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Path("none");
  const std::vector<std::vector<std::string>> commands = {
      {"query", path, "a=b"},
      {"get", path, "key"},
      {"put", path, "key"},
      {"delete", path, "key"},
      {"stats", path},
      {"verify", path},
      {"load", path, "-", "--append", "--key", "k"}};
  for (const std::vector<std::string>& arguments : commands) {
    const ToolResult result = RunTool(arguments);
    CAPTURE(arguments, result.err);
    CHECK(result.exit_code == 3);
    CHECK(IsOneLine(result.err));
  }
  CHECK(folder.Names().empty());
}

TEST_CASE("a load into a folder that has something in it leaves it as it is", "[tools]") {
  const TempFolder folder;
  const std::string rows = folder.Write("f", "k\ta\nx\t1\n");
  const ToolResult result = RunTool({"load", folder.Path(""), rows});
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("--append") != std::string::npos);
  CHECK(folder.Names() == std::vector<std::string>{"f"});
}

TEST_CASE("a regular file with a ragged row makes no table", "[tools]") {
  const TempFolder folder;
  const std::string rows = folder.Write("f", ShapesTsv(0, 3000) + "x\ty\n" + "z\n");
  const ToolResult result =
      RunTool({"load", folder.Path("table"), rows, "--key", "id", "--batch", "100"});
  CHECK(result.exit_code == 3);
  CHECK(result.err ==
        "trommel-index: " + rows + ":3002: 2 fields in the row, where 4 are expected\n");
  CHECK(folder.Names() == std::vector<std::string>{"f"});
}

TEST_CASE("of a pipe with a ragged row, the whole batches before it are appended", "[tools]") {
  const MadeTable table(50);
  const ToolResult result =
      table.Run("load", {"-", "--append", "--key", "id", "--set-valued", "tags", "--batch", "100"},
                ShapesTsv(1000, 250) + "x\ty\n");
  CHECK(result.exit_code == 3);
  CHECK(result.err.find(":252: 2 fields in the row, where 4 are expected; 200 rows of (stdin)") !=
        std::string::npos);
  CHECK(table.Report("verify", {})["num_rows"] == 250);
}

TEST_CASE("a regular file with a ragged row is not appended at all", "[tools]") {
  const MadeTable table(50);
  const std::string rows = table.folder().Write("more", ShapesTsv(1000, 250) + "x\ty\n");
  CHECK(table.Run("load", {rows, "--append", "--key", "id", "--batch", "100"}).exit_code == 3);
  CHECK(table.Run("put", {"--tsv", rows, "--key", "id", "--batch", "100"}).exit_code == 3);
  CHECK(table.Report("verify", {})["num_rows"] == 50);
}

TEST_CASE("unknown attributes are usage errors that list names near them", "[tools]") {
  const MadeTable table(20);
  for (const char* const command : {"query", "put"}) {
    const std::vector<std::string> arguments = command == std::string("put")
                                                   ? std::vector<std::string>{"key", "color=red"}
                                                   : std::vector<std::string>{"color=red"};
    const ToolResult result = table.Run(command, arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err == "trommel-index: no attribute 'color'; near it: 'colour'\n");
  }
  CHECK(table.Run("query", {"colour"}).exit_code == 2);
  CHECK(table.Run("query", {"colour="}).exit_code == 2);
  CHECK(table.Run("get", {"key"}).exit_code == 1);
}

TEST_CASE("a table that another process has open is bad input", "[tools]") {
  const MadeTable table(20);
  Result<index::Cluster> open = index::Cluster::Open(table.path());
  REQUIRE(open.ok());
  const ToolResult result = table.Run("query", {"colour=colour1"});
  CHECK(result.exit_code == 3);
  CHECK(IsOneLine(result.err));
  REQUIRE(open->Close().ok());
  CHECK(table.Run("query", {"colour=colour1"}).exit_code == 0);
}

TEST_CASE("an interrupted load stops behind a batch and says what is in the table", "[tools]") {
  const MadeTable table(50);
  RunningTool tool({"load", table.path(), "-", "--append", "--key", "id", "--set-valued", "tags",
                    "--batch", "100"});
  tool.Write(ShapesTsv(1000, 1050));
  // Time to open the table and to wait for more. If a slow machine needs longer, the signal comes
  // earlier: what is checked holds all the same.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  tool.Signal(SIGINT);
  const ToolResult result = tool.WaitWithInputOpen();
  CHECK(result.signal == SIGINT);
  size_t num_rows = 0;
  if (!result.err.empty()) {  // empty: the signal came before the program noted it
    const std::string prefix = "trommel-index: interrupted: ";
    REQUIRE(result.err.starts_with(prefix));
    std::string number = result.err.substr(prefix.size());
    std::erase(number, ',');
    num_rows = std::stoul(number);
    CHECK(num_rows % 100 == 0);
  }
  const auto report = table.Report("verify", {});
  CHECK(report["ok"] == true);
  CHECK(report["num_rows"] == 50 + num_rows);
}

}  // namespace
}  // namespace trommel::tests
