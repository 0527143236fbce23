// trommel-index: what is wrong is one line, an exit code, and a table that is as it was.
#include <signal.h>

#include <chrono>
#include <filesystem>
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
      {"--rate", "nan"},      {"--rate", "0"},      {"--rate", "1"},
      {"--servers", "0"},     {"--servers", "257"}, {"--regions", "0"},
      {"--regions", "60001"}, {"--versions", "0"},  {"--versions", "101"},
      {"--batch", "0"},       {"--memory", "0"},    {"--structure", "other"},
      {"--key", "none"},      {"--index", "none"},  {"--key", "k,k"},
      {"--set-valued", "x"},  {"--not-index", "x"}, {"--index=a", "--not-index=a"},
      {"--key", ""},          {"--memory", "1"},    {"--append", "--key", "k", "--servers", "3"}};
  for (const std::vector<std::string>& options : wrong) {
    const ToolResult result = RunTool(With({"load", folder.Path("table"), rows}, options));
    CAPTURE(options, result.err);
    CHECK(result.exit_code == 2);
    CHECK(IsOneLine(result.err));
  }
  CHECK(folder.Names() == std::vector<std::string>{"f"});
}

// The options in a message, each once.
std::vector<std::string> OptionsIn(const std::string& text) {
  std::vector<std::string> options;
  for (size_t at = text.find(" --"); at != std::string::npos; at = text.find(" --", at + 1)) {
    const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at + 1);
    const std::string option = text.substr(at + 1, end - at - 1);
    if (option != "--help" && option.size() > 2) options.push_back(option);
  }
  return options;
}

struct WrongInput {
  std::string command;
  std::string text;  // of the file
  std::vector<std::string> options;
  int exit_code = 0;
  std::string message;  // a part of it
};

TEST_CASE("what is wrong with a file's rows is said by line and name, with options that exist",
          "[tools]") {
  const TempFolder folder;
  const std::string rows = folder.Write("r", "k\ta\tb\nx\t1\t2\n");
  MustRun({"load", folder.Path("t"), rows, "--key", "k"});
  MustRun({"load", folder.Path("numbered"), rows});
  const std::string long_cell(70'000, 'v');
  const std::vector<WrongInput> all = {
      {"load", "", {}, 3, "f: empty: its first line should name the columns\n"},
      {"load", "\n", {}, 3, "f:1: column 1 has no name"},
      {"load", "\tb\n", {}, 3, "f:1: column 1 has no name"},
      {"load", "a\ta\n", {}, 3, "f:1: columns 1 and 2 are both named 'a'"},
      {"load", "a,b\tc\n", {}, 3, "f:1: column 1 is named 'a,b': no name may have a comma"},
      {"load", "k\n", {"--key", "k"}, 2, "there is no column beside the key"},
      {"load", "k\ta\n", {"--key", "b"}, 2, "--key: no column named 'b'; there are 'k', 'a'"},
      {"load", "k\ta\nx\n", {"--key", "k"}, 3, "f:2: 1 field in the row, where 2 are expected"},
      {"load", "k\ta\n\t1\n", {"--key", "k"}, 3, "f:2: the key is empty"},
      {"load",
       "k\ta\nx\t" + long_cell + "\n",
       {"--key", "k"},
       3,
       "f:2: a value of attribute \"a\" has 70000 bytes; it must have at most 65536"},
      {"load",
       "k\ta\n" + long_cell + "\t1\n",
       {"--key", "k"},
       3,
       "f:2: the row's key has 70000 bytes"},
      {"load",
       "k\ta\r\nx\t1\r\n",
       {"--key", "k"},
       3,
       "f:1: the line ends with a carriage return, which cannot be part of a column's name: say "
       "--crlf"},
      {"load",
       std::string("k\0y\ta\n", 6),
       {},
       3,
       "f: a NUL byte in the first line, so these are no lines\n"},
      {"demo", "", {}, 3, "f: empty: its first line should name the columns\n"},
      {"demo", "k\ta\n", {}, 3, "f: no rows to query"},
      {"demo", "k\n", {"--key", "k"}, 2, "there is no column beside the key"},
      {"append", "k\ta\tb\nx\t1\t2\n", {}, 2, "--append: needs --key"},
      {"append", "", {"--key", "k"}, 3, "f: empty: its first line should name the columns\n"},
      {"append", "k\ta\nx\t1\n", {"--key", "k"}, 3, "no column for the table's attribute 'b'"},
      {"append", "k\ta\tc\n", {"--key", "k"}, 3, "column 3: the table has no attribute named 'c'"},
  };
  for (const WrongInput& each : all) {
    const std::string file = folder.Write("f", each.text);
    std::vector<std::string> arguments;
    if (each.command == "demo") arguments = {"demo", file};
    if (each.command == "load") arguments = {"load", folder.Path("new"), file};
    // Without --key: into a table whose keys are the numbers of rows.
    const std::string table = folder.Path(each.options.empty() ? "numbered" : "t");
    if (each.command == "append") arguments = {"load", table, file, "--append"};
    arguments.insert(arguments.end(), each.options.begin(), each.options.end());
    const ToolResult result = RunTool(arguments);
    CAPTURE(each.command, each.text.substr(0, 40), each.options, result.err);
    CHECK(result.exit_code == each.exit_code);
    CHECK(IsOneLine(result.err));
    CHECK(result.err.find(each.message) != std::string::npos);
    const std::string help = RunTool({arguments[0], "--help"}).out;
    for (const std::string& option : OptionsIn(result.err)) {
      CAPTURE(option);
      CHECK(help.find(option) != std::string::npos);
    }
  }
  CHECK(folder.Names() == std::vector<std::string>{"f", "numbered", "r", "t"});
}

TEST_CASE("a table of a header alone is made, and takes rows", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Path("t");
  MustRun({"load", path, folder.Write("f", "k\ta\n"), "--key", "k"});
  CHECK(RunTool({"query", path, "a=1"}).exit_code == 1);
  MustRun({"put", path, "x", "a=1"});
  CHECK(RunTool({"query", path, "a=1"}).exit_code == 0);
  CHECK(RunTool({"verify", path}).exit_code == 0);
}

TEST_CASE("commands say what is missing", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Path("none");
  CHECK(RunTool({}).exit_code == 2);
  CHECK(RunTool({"load", path}).exit_code == 2);
  CHECK(RunTool({"query", path}).exit_code == 2);
  CHECK(RunTool({"put", path}).exit_code == 2);
  CHECK(RunTool({"delete", path}).exit_code == 2);
  CHECK(RunTool({"delete", path, "key", "--keys", "-"}).exit_code == 2);
  CHECK(RunTool({"stats", ""}).exit_code == 2);
  CHECK(RunTool({"stats", path, "--memory", "1"}).exit_code == 2);
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
      {"load", path, "-", "--append", "--key", "k"},
      {"regions", path},
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
  CHECK(RunTool({"load", folder.Path("t"), folder.Path("")}).err.ends_with(" is a folder\n"));
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
  CHECK(table.Report("verify", {})["num_rows"] == 50);
}

TEST_CASE("unknown attributes are usage errors that list the names there are", "[tools]") {
  const MadeTable table(20);
  for (const char* const command : {"query", "put"}) {
    const std::vector<std::string> arguments = command == std::string("put")
                                                   ? std::vector<std::string>{"key", "color=red"}
                                                   : std::vector<std::string>{"color=red"};
    const ToolResult result = table.Run(command, arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err ==
          "trommel-index: no attribute named 'color'; there are 'colour', 'tags', 'shape'\n");
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
      {"add-index", {"color"}, "there are 'colour'"},
      {"add-index", {"shape", "--rows-per-second", "0"}, "--rows-per-second"},
      {"add-index", {}, "ATTRIBUTE"},
      {"drop-index", {"shape"}, "'shape' has no index"},
      {"drop-index", {"color"}, "there are 'colour'"},
      {"stats", {"--prometheus", "--json"}, "--prometheus"},
  };
  for (const Refused& each : all) {
    const ToolResult result = table.Run(each.command, each.arguments);
    CAPTURE(each.command, each.arguments, result.err);
    CHECK(result.exit_code == 2);
    CHECK(IsOneLine(result.err));
    CHECK(result.err.find(each.named) != std::string::npos);
    CHECK(result.out.empty());
  }
  CHECK(table.Report("regions", {}) == before);
  CHECK(table.Report("verify", {})["ok"] == true);
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
  CHECK(IsOneLine(moved.err));
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
