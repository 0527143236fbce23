// trommel attr build: columns, cuts, budgets, and what it refuses without leaving a file.
#include <algorithm>
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

const std::string kThreeColumns = "src\tdst\tdomain\na\tb\tc\nd\te\tf\n";

Strings BuildWords(const TempFolder& folder, const Strings& more) {
  const Strings build = {"attr", "build", "-o", folder.Path("filter")};
  const bool has_capacity = std::ranges::find(more, "-n") != more.end();
  return With(has_capacity ? build : With(build, {"-n", "1000"}), more);
}

ToolResult BuildOf(const TempFolder& folder, const Strings& more, std::string_view input) {
  return RunTool(BuildWords(folder, more), input);
}

json JsonOf(const TempFolder& folder, const Strings& more, std::string_view input) {
  return ReportOf(BuildWords(folder, more), input);
}

TEST_CASE("a built filter says its columns, cuts and sets", "[tools][attr_build]") {
  const TempFolder folder;
  const json built =
      JsonOf(folder, {"--cut", "src,dst", "--cut", "dst,domain", "-p", "0.5%"}, kThreeColumns);
  CHECK(built["num_rows_read"] == 2);
  CHECK(built["num_tuples"] == 2);
  CHECK(built["attributes"] == Strings{"src", "dst", "domain"});
  CHECK(built["cuts"] == std::vector<Strings>{{"src", "dst"}, {"dst", "domain"}});
  REQUIRE(built["sets"].size() == 4);
  CHECK(built["sets"][3]["set"] == Strings{"src", "domain"});
  CHECK(built["sets"][3]["target_fpr"] == 0.005);
  CHECK(built["sets"][3]["capacity"] == 1000);
}

TEST_CASE("columns are taken by name or number, with a header or without", "[tools][attr_build]") {
  const TempFolder folder;
  CHECK(JsonOf(folder, {"--columns", "domain,1"}, kThreeColumns)["attributes"] ==
        Strings{"domain", "src"});
  CHECK(JsonOf(folder, {"-f", "--columns", "0,3"}, "\t0\tb\n1\t2\t3\n")["attributes"] ==
        Strings{"0", "b"});  // it is a name; what has none is left out
  CHECK(JsonOf(folder, {"-f", "--no-header"}, "a\tb\n")["attributes"] == Strings{"1", "2"});
  CHECK(JsonOf(folder, {"-f", "--no-header", "--columns", "2"}, "a\tb\n")["attributes"] ==
        Strings{"2"});
}

TEST_CASE("without -n distinct rows are counted", "[tools][attr_build]") {
  const TempFolder folder;
  const std::string rows = folder.Write("rows", kThreeColumns);
  const std::string filter = folder.Path("filter");
  CHECK(ReportOf({"attr", "build", "-o", filter, rows, rows})["sets"][0]["capacity"] == 2);
  // Those of a pipe are not: the filters grow.
  CHECK(ReportOf({"attr", "build", "-f", "-o", filter}, kThreeColumns)["sets"][0]["capacity"] ==
        65'536);
  CHECK(RunTool({"attr", "query", filter, rows, "-c"}).out == "2\n");
  CHECK_THAT(RunTool({"attr", "build", "-f", "-o", filter, "--memory", "1MB"}, kThreeColumns).err,
             ContainsSubstring("give the number of rows with -n"));
}

TEST_CASE("by default single columns and pairs are kept, within 16 MB", "[tools][attr_build]") {
  const TempFolder folder;
  std::string header = "c1";
  std::string row = "1";
  for (int i = 2; i <= 8; ++i) {
    header += "\tc" + std::to_string(i);
    row += "\t" + std::to_string(i);
  }
  const std::string rows = header + "\n" + row + "\n";
  const json all = JsonOf(folder, {}, rows);
  CHECK(all["sets"].size() == 8 + 28);
  CHECK(all["max_together"] == 2);
  const ToolResult told = BuildOf(folder, {"-f"}, rows);
  CHECK(std::ranges::count(told.out, '\n') <= 24);  // a screen
  CHECK_THAT(told.out, ContainsSubstring("... and 28 more (--json has all)") &&
                           ContainsSubstring("pairs of them: the default."));
  // The whole row is asked pair by pair.
  CHECK(RunTool({"attr", "query", folder.Path("filter"), "-c"}, rows).out == "1\n");

  const json some = JsonOf(folder, {"-f", "-n", "400k"}, rows);
  CHECK(some["num_bytes"] <= 16'000'000);
  CHECK(some["sets"].size() > 8);
  CHECK(some["sets"].size() < 36);
  CHECK(some["sets"][2]["set"] == Strings{"c1", "c2"});
  CHECK(JsonOf(folder, {"-f", "-n", "10M"}, rows)["sets"].size() == 8);
  CHECK(JsonOf(folder, {"-f", "-n", "400k", "--together", "2"}, rows)["sets"].size() == 36);
}

TEST_CASE("what build cannot make it says, and leaves no file", "[tools][attr_build]") {
  const TempFolder folder;
  struct Refused {
    Strings arguments;
    std::string input;
    int exit_code;
    std::string why;
  };
  const std::vector<Refused> all = {
      {{"--cut", "src"}, kThreeColumns, 2, "cut 'src': it has one attribute"},
      {{"--cut", "src,zz"}, kThreeColumns, 2, "cut 'src,zz': no attribute named 'zz'; there are"},
      {{"--columns", "zz"}, kThreeColumns, 3, "(stdin):1: no column named 'zz'; there are 'src'"},
      {{}, "a\tb\n1\t2\n3\n", 3, "(stdin):3: 1 field in the row, where 2 are expected"},
      {{}, "", 3, "(stdin): empty: its first line should name the columns (or say --no-header)"},
      {{"--no-header"}, "", 3, "no rows in the input"},
      {{"--columns", "0"}, kThreeColumns, 2, "columns are counted from 1, not '0'"},
      {{"--cut", "src,{0}"}, kThreeColumns, 2, "cut 'src,{0}': no attribute named '{0}'; there"},
      {{"--cut", "src,capacity"}, kThreeColumns, 2, "no attribute named 'capacity'; there are"},
      {{"-p", "nan"}, kThreeColumns, 2, "--fpr"},
      {{"--mix", "src=1"}, kThreeColumns, 2, "--mix: needs --memory"},
      {{"--memory", "1MB", "-p", "1%"}, kThreeColumns, 2, "excludes"},
      {{"--memory", "1kB"}, kThreeColumns, 2, "--memory is 1000; at the highest rates"},
      {{"--values", "zz=3"}, kThreeColumns, 2, "no attribute named 'zz'"},
      {{"-n", "100M", "--memory-limit", "1MB"},
       kThreeColumns,
       3,
       "the filters of 3 sets of attributes need "},
  };
  for (const Refused& refused : all) {
    const ToolResult result = BuildOf(folder, refused.arguments, refused.input);
    INFO(result.err);
    CHECK(result.exit_code == refused.exit_code);
    CHECK_THAT(result.err, ContainsSubstring(refused.why));
    CHECK(result.err.find('\n') == result.err.size() - 1);
    CHECK(folder.Names().empty());
  }
}

TEST_CASE("seventeen columns may not be cut only", "[tools][attr_build]") {
  const TempFolder folder;
  std::string input = "1";
  std::string all = "1";
  for (int i = 2; i <= 17; ++i) {
    input += "\t" + std::to_string(i);
    all += "," + std::to_string(i);
  }
  const auto with = [&](const Strings& more) {
    return BuildOf(folder, With({"--no-header"}, more), input + "\n");
  };
  CHECK(with({}).exit_code == 0);  // pairs
  const ToolResult refused = with({"--cut", all, "-f"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, ContainsSubstring("sets; there may be 65,536"));
  const ToolResult kept = with({"--keep", all, "--keep", "3,17", "--force", "--json"});
  CHECK(kept.exit_code == 0);
  CHECK_THAT(kept.out, ContainsSubstring("\"max_together\":17"));
  CHECK_THAT(with({"--keep", "3,17", "--force"}).err,
             ContainsSubstring("column '1' is in no kept set") &&
                 ContainsSubstring("leave it out with --columns 3,17, or keep it with --keep 1"));
  CHECK_THAT(with({"--together", "18", "--force"}).err,
             ContainsSubstring("18 of 17 columns together: it must be between 1 and 17"));
}

}  // namespace
}  // namespace trommel::tests
