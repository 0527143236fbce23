// trommel attr: a table from its first file to its last row, and wrong command lines.
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

// Rows of a domain name each, queried by some of 20 sources.
std::string DnsRows(int first, int last) {
  std::string text = "time\tsrc\tdst\tdomain\n";
  for (int i = first; i < last; ++i) {
    text += std::to_string(i) + "\t10.0.0." + std::to_string(i % 20) + "\t8.8.8." +
            std::to_string(i % 3) + "\thost" + std::to_string(i) + ".example\n";
  }
  return text;
}

TEST_CASE("a table is built, queried, erased and queried again", "[tools][attr]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string rows = folder.Write("rows", DnsRows(0, 500));
  MustRun({"attr", "build", "-o", filter, "--columns", "src,dst,domain", "--cut", "src,dst", "-p",
           "1e-4", rows});
  CHECK(RunTool({"attr", "query", filter, rows, "--count"}).out == "500\n");
  CHECK(RunTool({"attr", "query", filter, rows, "--count", "--asked", "src,domain"}).out ==
        "500\n");
  const std::string later = folder.Write("later", DnsRows(500, 600));
  CHECK(RunTool({"attr", "query", filter, later}).exit_code == 1);
  // Its sources are known, with other names.
  CHECK(RunTool({"attr", "query", filter, later, "--count", "--asked", "src"}).out == "100\n");

  CHECK(RunTool({"attr", "insert", filter, later}).exit_code == 0);
  CHECK(RunTool({"attr", "query", filter, later, "--count"}).out == "100\n");
  CHECK(RunTool({"attr", "erase", filter, rows}).exit_code == 0);
  CHECK(RunTool({"attr", "query", filter, later, "--count"}).out == "100\n");
  CHECK(RunTool({"attr", "query", filter, rows, "--count", "--asked", "domain"}).out == "0\n");
  const json stats = ReportOf({"stats", filter});
  CHECK(stats["num_tuples"] == 100);
}

TEST_CASE("threads change neither file nor answers of attr", "[tools][attr][threads]") {
  const TempFolder folder;
  const std::string rows = folder.Write("rows", DnsRows(0, 3000));
  const std::string one = folder.Path("one");
  const std::string four = folder.Path("four");
  MustRun({"attr", "build", "-o", one, rows});
  MustRun({"attr", "build", "-o", four, "--threads", "4", rows});
  CHECK(folder.Read("one") == folder.Read("four"));
  const std::string mixed = DnsRows(2900, 3100);
  CHECK(RunTool({"attr", "query", one, "--print-present"}, mixed).out ==
        RunTool({"attr", "query", four, "--print-present", "--threads", "4"}, mixed).out);
}

TEST_CASE("commands of keys send attribute filters to attr", "[tools][attr]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"attr", "build", "-o", filter, "-n", "10"}, "a\tb\n1\t2\n");
  const std::string before = folder.Read("filter");
  for (const std::string command : {"query", "insert", "erase"}) {
    const ToolResult result = RunTool({command, filter}, "1\n");
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err,
               ContainsSubstring("of rows of columns, not of keys: use trommel attr " + command));
  }
  CHECK(folder.Read("filter") == before);
  CHECK(RunTool({"verify", filter}).exit_code == 0);
  const ToolResult keys = RunTool({"verify", filter, "-"}, "1\n");
  CHECK(keys.exit_code == 2);
  CHECK_THAT(keys.err, ContainsSubstring("use trommel attr query --print-absent"));
  CHECK(ReportOf({"stats", filter})["type"] == "attribute");
  CHECK_THAT(RunTool({"stats", filter, "--now", "1"}).err,
             ContainsSubstring("attribute filters have no time"));
}

}  // namespace
}  // namespace trommel::tests
