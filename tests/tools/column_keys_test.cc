// Keys of several columns, from the option to the filter.
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/input/key_batch.h"
#include "tools/trommel/options/key_options.h"
#include "trommel/tuples.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::RunTool;
using tests::TempFolder;
using tests::ToolResult;
using tests::With;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;
using Strings = std::vector<std::string>;

constexpr std::string_view kLog =
    "time\thost\turl\n1\tann\t/a\n2\tbob\t/a\n3\tann\t/b\n4\tann\t/a\n";

// The columns that the option means, a number as "#2".
Strings ColumnsOf(const std::string& text) {
  KeyInput input;
  input.text.column = text;
  input.options.has_header = true;
  input.Finish();
  Strings columns;
  for (const ColumnChoice& column : input.options.columns) {
    columns.push_back(column.name.empty() ? "#" + std::to_string(column.idx + 1) : column.name);
  }
  return columns;
}

TEST_CASE("the keys of several columns are the tuples of their values", "[tools][column_keys]") {
  KeyBatch batch;
  const std::string text = "a\0b\tx\tc\n\t\t\n\na\0\tx\tb\0c\n"s;
  batch.piece.buffer.assign(text.begin(), text.end());
  batch.piece.end = text.size();
  batch.piece.column_idxs = {2, 0};
  KeyOptions options;
  options.format = KeyFormat::kTsv;
  options.columns.resize(2);
  batch.Split(options);
  REQUIRE_FALSE(batch.error());
  const Keys keys = batch.keys();
  REQUIRE(keys.size() == 3);
  CHECK(batch.num_empty() == 1);
  const auto* views = static_cast<const std::string_view*>(keys.data());
  CHECK(views[0] == TupleKey(std::vector<std::string_view>{"c", "a\0b"sv}));
  CHECK(views[1] == TupleKey(std::vector<std::string_view>{"", ""}));
  CHECK(views[2] == TupleKey(std::vector<std::string_view>{"b\0c"sv, "a\0"sv}));
  CHECK(batch.records()[0] == "a\0b\tx\tc"sv);
}

TEST_CASE("a list of columns is of numbers and names, which quotes may hold together",
          "[tools][column_keys]") {
  CHECK(ColumnsOf("host,url") == Strings{"host", "url"});
  CHECK(ColumnsOf("2,url,4") == Strings{"#2", "url", "#4"});
  CHECK(ColumnsOf(R"("last, first",host)") == Strings{"last, first", "host"});
  CHECK(ColumnsOf(R"("say ""hi""","2")") == Strings{R"(say "hi")", "2"});
  CHECK(ColumnsOf(R"(5" disk)") == Strings{R"(5" disk)"});
}

TEST_CASE("every command of keys takes several columns", "[tools][column_keys]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string log = folder.Write("log", kLog);
  const Strings by_name = {"--header", "--column", "host,url", log};
  tests::MustRun(With({"build", "-p", "1e-5", "-o", filter}, by_name));
  CHECK(RunTool(With({"query", filter, "-c"}, by_name)).out == "4\n");
  CHECK(RunTool(With({"query", filter, "--counts"}, by_name)).out ==
        "count\ttime\thost\turl\n2\t1\tann\t/a\n1\t2\tbob\t/a\n1\t3\tann\t/b\n"
        "2\t4\tann\t/a\n");
  CHECK(RunTool(With({"verify", filter}, by_name)).exit_code == 0);
  CHECK(RunTool(With({"dedup", "-q"}, by_name)).out ==
        "time\thost\turl\n1\tann\t/a\n2\tbob\t/a\n3\tann\t/b\n");
  // By number, the same keys; in another order, others.
  CHECK(RunTool({"query", filter, "-c", "--column", "2,3"}, "9\tann\t/a\n9\tbob\t/b\n").out ==
        "1\n");
  CHECK(RunTool({"query", filter, "-c", "--column", "3,2"}, "9\tann\t/a\n").out == "0\n");
  CHECK(RunTool({"insert", filter, "--column", "1,2"}, "eve\t/c\n").exit_code == 0);
  CHECK(RunTool({"erase", filter, "--column", "2,3"}, "0\teve\t/c\n").exit_code == 0);
  CHECK(RunTool(With({"erase", filter}, by_name)).exit_code == 0);
  CHECK(RunTool(With({"query", filter, "-c"}, by_name)).out == "0\n");
}

TEST_CASE("a column of a key that is not there is named", "[tools][column_keys]") {
  const TempFolder folder;
  const std::string log = folder.Write("log", kLog);
  const auto error_of = [&](const std::string& columns) {
    const ToolResult result = RunTool({"dedup", "--header", "--column", columns, log});
    CHECK(result.exit_code == 3);
    return result.err;
  };
  CHECK_THAT(error_of("host,path"), ContainsSubstring("log:1: no column named 'path'"));
  CHECK_THAT(error_of("host,4"), ContainsSubstring("log:2: no column 4: '1\\x09ann"));
  CHECK_THAT(error_of("2,host"), ContainsSubstring("log:1: column 2 is chosen twice for the key"));
  const ToolResult unset = RunTool({"dedup", "--column", "", log});  // as of a variable
  CHECK(unset.exit_code == 2);
  CHECK_THAT(unset.err, ContainsSubstring("--column: must not be empty"));
}

}  // namespace
}  // namespace trommel::tool
