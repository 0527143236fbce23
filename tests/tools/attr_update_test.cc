// trommel attr insert and erase: all rows or none reach the file.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;

std::string BuildTwoRows(const TempFolder& folder) {
  const std::string filter = folder.Path("filter");
  MustRun({"attr", "build", "-n", "100", "-o", filter}, "a\tb\n1\t2\n3\t4\n");
  return filter;
}

TEST_CASE("rows are inserted and erased as often as they come", "[tools][attr_update]") {
  const TempFolder folder;
  const std::string filter = BuildTwoRows(folder);
  const std::string empty = folder.Read("filter");
  const json inserted = ReportOf({"attr", "insert", filter}, "b\ta\n6\t5\n6\t5\n");
  CHECK(inserted["num_rows_read"] == 2);
  CHECK(inserted["num_tuples"] == 4);
  const std::string before = folder.Read("filter");
  const std::string thrice = "a\tb\n5\t6\n\n5\t6\n5\t6\n";
  const ToolResult refused = RunTool({"attr", "erase", filter}, thrice);
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.err, Catch::Matchers::ContainsSubstring(
                              "1 of 3 rows is certainly absent, or given more often than it is in; "
                              "the first is (stdin):5: '5\\x096'"));
  CHECK(folder.Read("filter") == before);
  const json erased = ReportOf({"attr", "erase", filter, "--partial"}, thrice);
  CHECK(erased["num_erased"] == 2);
  CHECK(erased["num_refused"] == 1);
  CHECK(erased["num_tuples"] == 2);
  CHECK(folder.Read("filter") == empty);
  CHECK(RunTool({"attr", "erase", filter}, "a\tb\n9\t9\n").exit_code == 3);
  CHECK(folder.Read("filter") == empty);
}

TEST_CASE("a ragged row or a wrong column changes nothing", "[tools][attr_update]") {
  const TempFolder folder;
  const std::string filter = BuildTwoRows(folder);
  const std::string before = folder.Read("filter");
  const std::string command = GENERATE("insert", "erase");
  CHECK(RunTool({"attr", command, filter}, "a\tb\n1\t2\n3\n").exit_code == 3);
  CHECK(RunTool({"attr", command, filter}, "a\tc\n1\t2\n").exit_code == 3);
  CHECK(RunTool({"attr", command, filter}, "").exit_code == 3);
  CHECK(RunTool({"attr", command, filter, folder.Path("none")}).exit_code == 3);
  CHECK(RunTool({"attr", command, filter, "--columns", "a"}, "a\tb\n").exit_code == 2);
  CHECK(RunTool({"attr", command, folder.Path("none")}, "a\tb\n").exit_code == 3);
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Names() == Strings{"filter"});
}

TEST_CASE("an updated filter can go elsewhere, but not over its inputs", "[tools][attr_update]") {
  const TempFolder folder;
  const std::string filter = BuildTwoRows(folder);
  const std::string before = folder.Read("filter");
  const std::string rows = folder.Write("rows", "a\tb\n5\t6\n");
  const std::string other = folder.Path("other");
  MustRun({"attr", "insert", filter, rows, "-o", other});
  CHECK(folder.Read("filter") == before);
  CHECK(RunTool({"attr", "query", other, rows, "-c"}).out == "1\n");
  const std::string command = GENERATE("insert", "erase");
  const ToolResult itself = RunTool({"attr", command, filter, filter});
  CHECK(itself.exit_code == 2);
  CHECK(itself.err == "trommel: the filter " + filter + " is also an input\n");
}

TEST_CASE("a memory limit bounds what rows make a file grow to", "[tools][attr_update]") {
  const TempFolder folder;
  const std::string filter = BuildTwoRows(folder);
  std::string rows = "a\tb\n";
  for (int i = 0; i < 20'000; ++i) rows += std::to_string(i) + "\t" + std::to_string(i) + "\n";
  const std::string grown = folder.Path("grown");
  const Strings insert = {"attr", "insert", filter, "-o", grown, "--memory-limit"};
  Strings bounded = insert;
  bounded.insert(bounded.end(), {"100KiB", "--json"});
  const ToolResult result = RunTool(bounded, rows);
  CHECK(result.exit_code == 1);
  CHECK(json::parse(result.out)["num_refused_inserts"] > 0);
  CHECK(folder.Read("grown").size() < 200'000);
}

}  // namespace
}  // namespace trommel::tests
