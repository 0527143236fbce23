// trommel attr query: any columns, rows' own questions, and lines passed through.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
using Strings = std::vector<std::string>;

// Rows (i, i % 10, x) in a filter in which the non-members of these tests do not collide.
std::string BuildNumbers(const TempFolder& folder, const Strings& more = {}) {
  std::string rows = "a\tb\tc\n";
  for (int i = 0; i < 100; ++i) {
    rows += std::to_string(i) + "\t" + std::to_string(i % 10) + "\tx\n";
  }
  const std::string filter = folder.Path("filter");
  MustRun(With({"attr", "build", "-n", "10k", "-p", "1e-5", "-o", filter}, more), rows);
  return filter;
}

TEST_CASE("rows are queried by any of their columns", "[tools][attr_query]") {
  const TempFolder folder;
  const std::string filter = BuildNumbers(folder);
  const std::string input = "a\tb\tc\n5\t5\tx\n5\t6\tx\n200\t6\tx\n";
  const auto present = [&](const Strings& more) {
    return RunTool(With({"attr", "query", filter, "--print-present"}, more), input).out;
  };
  CHECK(present({}) == "a\tb\tc\n5\t5\tx\n");
  CHECK(present({"--asked", "b,c"}) == input);
  CHECK(present({"--asked", "a"}) == "a\tb\tc\n5\t5\tx\n5\t6\tx\n");
  CHECK(RunTool({"attr", "query", filter, "--print-absent"}, input).out ==
        "a\tb\tc\n5\t6\tx\n200\t6\tx\n");
  CHECK(RunTool({"attr", "query", filter, "--print-counts", "--asked", "b"}, "b\n5\n77\n").out ==
        "count\tb\n10\t5\n0\t77\n");
  CHECK(RunTool({"attr", "query", filter, "-c"}, input).out == "1\n");
  CHECK(RunTool({"attr", "query", filter}, "a\tb\tc\n7\t8\tx\n").exit_code == 1);
}

TEST_CASE("a query of columns that no kept set has says so", "[tools][attr_query]") {
  const TempFolder folder;
  const std::string filter = BuildNumbers(folder, {"--keep", "a,b,c", "--keep", "b"});
  const json answer = ReportOf({"attr", "query", filter, "--asked", "b,c"}, "b\tc\n5\tx\n7\ty\n");
  CHECK(answer["parts"] == json::parse(R"([["b"]])"));
  CHECK(answer["not_looked_at"] == json::parse(R"(["c"])"));
  const ToolResult none = RunTool({"attr", "query", filter, "--asked", "c"}, "c\nanything\n");
  CHECK_THAT(none.out, ContainsSubstring("maybe present    1\n"));
  CHECK_THAT(none.out, ContainsSubstring("false positives  100 % "));
  CHECK(RunTool({"attr", "query", filter, "--asked", "b,c"}, "b\tc\n5\tx\n77\tx\n").exit_code == 0);
  CHECK(RunTool({"attr", "query", filter, "--asked", "b,c"}, "b\tc\n77\tx\n").exit_code == 1);
  CHECK(RunTool({"attr", "query", filter}, "a\tb\tc\n7\t7\tx\n").exit_code == 0);
  CHECK(RunTool({"attr", "query", filter}, "a\tb\tc\n7\t8\tx\n").exit_code == 1);
}

TEST_CASE("a query's files have the queried columns, in any order", "[tools][attr_query]") {
  const TempFolder folder;
  const std::string filter = BuildNumbers(folder);
  CHECK(RunTool({"attr", "query", filter, "-c", "--asked", "a,b"}, "b\tmore\ta\n5\t?\t15\n").out ==
        "1\n");
  // Of another name, or of none: in the order of --asked.
  CHECK(RunTool({"attr", "query", filter, "-c", "--asked", "b,a", "--columns", "k,id"},
                "id\tk\n15\t5\n")
            .out == "1\n");
  CHECK(
      RunTool({"attr", "query", filter, "-c", "--asked", "b,a", "--columns", "2,1", "--no-header"},
              "15\t5\n16\t5\n")
          .out == "1\n");
}

TEST_CASE("every row has its own question with --any", "[tools][attr_query]") {
  const TempFolder folder;
  const std::string filter = BuildNumbers(folder);
  const std::string input =
      "a\tb\tc\n*\t5\t*\n5\t*\t*\n5\t6\t*\n*\t*\ty\n*\t*\t*\n15\t5\tx\n300\t*\tx\n";
  const ToolResult result =
      RunTool({"attr", "query", filter, "--any", "*", "--print-present", "--json"}, input);
  CHECK(result.out == "a\tb\tc\n*\t5\t*\n5\t*\t*\n*\t*\t*\n15\t5\tx\n");
  CHECK(json::parse(result.err)["num_maybe_present"] == 4);
  CHECK(RunTool({"attr", "query", filter, "--any", "", "-c"}, "a\tb\tc\n\t5\t\n\t\ty\n").out ==
        "1\n");
  CHECK(RunTool({"attr", "query", filter, "--any", "*", "--print-counts"}, input).exit_code == 2);
}

TEST_CASE("a question for cut columns is split, and the report says how", "[tools][attr_query]") {
  const TempFolder folder;
  const std::string filter = BuildNumbers(folder, {"--cut", "a,b"});
  // 5 and 6 came with x, but not together: a match of parts.
  const ToolResult result =
      RunTool({"attr", "query", filter, "--json"}, "a\tb\tc\n5\t6\tx\n5\t6\ty\n");
  const json report = json::parse(result.out);
  CHECK(report["num_maybe_present"] == 1);
  CHECK(report["num_absent"] == 1);
  CHECK(report["asked"] == Strings{"a", "b", "c"});
  CHECK(report["parts"].size() == 2);
  CHECK(report["current_fpr"] < 1e-5);
  CHECK_THAT(RunTool({"attr", "query", filter}, "a\tb\tc\n5\t6\tx\n").out,
             ContainsSubstring("Cut: queried as a,c and b,c, which different rows may"));
}

TEST_CASE("a wrong query is told by what there is", "[tools][attr_query]") {
  const TempFolder folder;
  const std::string filter = BuildNumbers(folder);
  const auto error = [&](const Strings& more, std::string_view input) {
    return RunTool(With({"attr", "query", filter}, more), input).err;
  };
  CHECK_THAT(error({"--asked", ""}, ""), ContainsSubstring("--asked: no attribute is named"));
  CHECK_THAT(error({"--asked", "a,zz"}, ""),
             ContainsSubstring("--asked: no attribute named 'zz'; there are 'a', 'b', 'c'"));
}

}  // namespace
}  // namespace trommel::tests
