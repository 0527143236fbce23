// trommel-index: tables whose keys are of several columns.
#include <string>
#include <vector>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

// The table `path` from these rows.
ToolResult LoadByTwo(const TempFolder& folder, const std::string& text,
                     const std::vector<std::string>& more = {}) {
  return RunTool(
      With({"load", folder.Path("t"), folder.Write("t.tsv", text), "--key", "a,b"}, more));
}

ToolResult RunOn(const TempFolder& folder, const std::string& command,
                 const std::vector<std::string>& more, const std::string& input = "") {
  return RunTool(With({command, folder.Path("t")}, more), input);
}

TEST_CASE("rows whose key columns differ are different rows, whatever is in them", "[tools]") {
  const TempFolder folder;
  const ToolResult loaded = LoadByTwo(folder, "a\tb\tc\n1,2\t3\tx\n1\t2,3\ty\n");
  REQUIRE(loaded.exit_code == 0);
  CHECK(loaded.out.find("different keys  2\n") != std::string::npos);
  CHECK(RunOn(folder, "get", {"a=1\\,2,b=3"}).out == "key\ta\tb\tc\na=1\\,2,b=3\t1,2\t3\tx\n");
  CHECK(RunOn(folder, "get", {"a=1,b=2\\,3"}).out == "key\ta\tb\tc\na=1,b=2\\,3\t1\t2,3\ty\n");
  CHECK(RunOn(folder, "query", {"c=y"}).out == "key\ta\tb\tc\na=1,b=2\\,3\t1\t2,3\ty\n");
  CHECK(RunOn(folder, "verify", {}).exit_code == 0);
}

TEST_CASE("a key of several columns is typed as it is shown", "[tools]") {
  const TempFolder folder;
  REQUIRE(LoadByTwo(folder, "a\tb\tc\n1\t2\tx\n").exit_code == 0);
  // The key columns are attributes, and have their values.
  REQUIRE(RunOn(folder, "put", {"a=q\\=,b=\\x01\xc3\xa9", "c=z"}).exit_code == 0);
  CHECK(RunOn(folder, "get", {"a=q=,b=\\x01\xc3\xa9"}).out ==
        "key\ta\tb\tc\na=q\\=,b=\\x01\xc3\xa9\tq=\t\x01\xc3\xa9\tz\n");
  const std::string more = "b\ta\tc\n7\t6\tw\n9\t8\tv\n";
  REQUIRE(RunOn(folder, "load", {"-", "--append"}, more).exit_code == 0);
  CHECK(RunOn(folder, "get", {"a=6,b=7"}).exit_code == 0);
  CHECK(RunOn(folder, "get", {"a=8,b=9", "--json"}).out.find("\"key\":\"a=8,b=9\"") !=
        std::string::npos);
  CHECK(RunOn(folder, "delete", {"a=8,b=9", "a=8,b=8"}).exit_code == 0);
  CHECK(RunOn(folder, "delete", {"--keys", "-"}, "a=6,b=7\n\na=1,b=2\n").exit_code == 0);
  CHECK(RunOn(folder, "get", {"a=8,b=9"}).exit_code == 1);
  CHECK(RunOn(folder, "get", {"a=6,b=7"}).exit_code == 1);
  CHECK(RunOn(folder, "get", {"a=1,b=2"}).exit_code == 1);
  CHECK(RunOn(folder, "verify", {}).exit_code == 0);
}

TEST_CASE("a key of several columns that is typed wrong is refused, and nothing is changed",
          "[tools]") {
  const TempFolder folder;
  REQUIRE(LoadByTwo(folder, "a\tb\tc\n1\t2\tx\n").exit_code == 0);
  const std::string why = "key '1,2', byte 1: key column 'a' and an equals sign should be here";
  const std::vector<std::vector<std::string>> commands = {{"get", "1,2"},
                                                          {"put", "1,2", "c=y"},
                                                          {"delete", "a=1,b=2", "1,2"},
                                                          {"split", "0", "--key", "1,2"}};
  for (const std::vector<std::string>& command : commands) {
    const ToolResult result = RunOn(folder, command[0], {command.begin() + 1, command.end()});
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err == "trommel-index: " + why + "; write a=VALUE,b=VALUE\n");
  }
  const ToolResult lines = RunOn(folder, "delete", {"--keys", "-"}, "a=0,b=0\n\n1,2\n");
  CHECK(lines.exit_code == 3);
  CHECK(lines.err.starts_with("trommel-index: (stdin):3: " + why));
  CHECK(RunOn(folder, "get", {"a=1,b=2"}).exit_code == 0);
}

TEST_CASE("other key columns than a table's are refused, and overwrite no row", "[tools]") {
  const TempFolder folder;
  const std::string rows = folder.Write("t.tsv", "a\tb\tc\n1,2\t3\tx\n");
  MustRun({"load", folder.Path("t"), rows, "--key", "a"});
  const std::string more = "a\tb\tc\n1\t2\ty\n";
  const ToolResult other = RunOn(folder, "load", {"-", "--append", "--key", "a,b"}, more);
  CHECK(other.exit_code == 3);
  CHECK(other.err == "trommel-index: --key: the table's key columns are 'a'; got 'a,b'\n");
  CHECK(RunOn(folder, "get", {"1,2"}).out == "key\tb\tc\n1,2\t3\tx\n");
  // A key of one column is typed as it is, and needs not be named again.
  REQUIRE(RunOn(folder, "load", {"-", "--append"}, more).exit_code == 0);
  CHECK(RunOn(folder, "query", {"c=y"}).out == "key\tb\tc\n1\t2\ty\n");
  CHECK(RunOn(folder, "delete", {"1"}).exit_code == 0);
  CHECK(RunOn(folder, "verify", {}).exit_code == 0);
}

TEST_CASE("a key column has the value of the key, and no other", "[tools]") {
  const TempFolder folder;
  REQUIRE(LoadByTwo(folder, "a\tb\tc\n1\t2\tx\n").exit_code == 0);
  const ToolResult other = RunOn(folder, "put", {"a=9,b=8", "a=7", "c=p"});
  CHECK(other.exit_code == 2);
  CHECK(other.err ==
        "trommel-index: attribute 'a' is a key column, whose value in the key is '9'; got '7': "
        "leave the attribute out, or write another key\n");
  CHECK(RunOn(folder, "put", {"a=9,b=8", "a=9", "a=7"}).exit_code == 2);
  CHECK(RunOn(folder, "put", {"a=,b=8", "a=7"}).exit_code == 2);
  CHECK(RunOn(folder, "get", {"a=9,b=8"}).exit_code == 1);
  CHECK(RunOn(folder, "put", {"a=9,b=8", "a=9", "c=p"}).exit_code == 0);
  CHECK(RunOn(folder, "get", {"a=9,b=8"}).out == "key\ta\tb\tc\na=9,b=8\t9\t8\tp\n");

  // A key of one column is an attribute if it is indexed.
  const std::string rows = folder.Write("one.tsv", "a\tc\n1\tx\n");
  const std::string one = folder.Path("one");
  MustRun({"load", one, rows, "--key", "a", "--index", "a,c"});
  CHECK(RunTool({"put", one, "2", "a=3"}).exit_code == 2);
  MustRun({"put", one, "2", "c=y"});
  CHECK(RunTool({"query", one, "a=2"}).out == "key\ta\tc\n2\t2\ty\n");
}

TEST_CASE("regions are cut between keys of several columns, and listed as these are typed",
          "[tools]") {
  const TempFolder folder;
  std::string rows = "a\tb\tc\n";
  for (int i = 0; i < 100; ++i) {
    rows += std::string(1, static_cast<char>('a' + i / 10)) + "\t" + std::to_string(i % 10) +
            "\tv" + std::to_string(i) + "\n";
  }
  REQUIRE(LoadByTwo(folder, rows, {"--regions", "2", "--servers", "1"}).exit_code == 0);
  const std::string listed = RunOn(folder, "regions", {}).out;
  CHECK(listed.find("the first key to before 'a=f,b=0'") != std::string::npos);
  CHECK(listed.find("'a=f,b=0' to the last") != std::string::npos);
  REQUIRE(RunOn(folder, "split", {"0", "--key", "a=c,b=5"}).exit_code == 0);
  CHECK(RunOn(folder, "regions", {"--json"}).out.find("\"begin\":\"a=c,b=5\"") !=
        std::string::npos);
  for (const char* const key : {"a=c,b=4", "a=c,b=5", "a=e,b=9", "a=f,b=0"}) {
    CHECK(RunOn(folder, "get", {key}).exit_code == 0);
  }
  CHECK(RunOn(folder, "verify", {}).exit_code == 0);
}

}  // namespace
}  // namespace trommel::tests
