// Rows: the chosen columns of every line, whatever the pieces, and errors with their lines.
#include "tools/trommel/input/row_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;
using Strings = std::vector<std::string>;

struct AllRows {
  Strings rows;
  std::vector<Strings> columns;
  Strings names;
  Strings headers;
  uint64_t num_empty = 0;
  uint64_t num_bytes = 0;
  std::string error;  // empty: none
};

AllRows ReadRows(const Strings& paths, const RowFormat& format, size_t block_bytes = 4096) {
  RowReader reader(paths, format, ReaderLimits{.block_bytes = block_bytes});
  AllRows all;
  for (RowBatch batch;;) {
    const Result<bool> has_rows = reader.Next(batch);
    if (!has_rows.ok()) all.error = has_rows.error().message;
    if (!has_rows.ok() || !*has_rows) break;
    all.rows.insert(all.rows.end(), batch.rows.begin(), batch.rows.end());
    all.columns.resize(std::max(all.columns.size(), batch.columns.size()));
    for (size_t i = 0; i < batch.columns.size(); ++i) {
      REQUIRE(batch.columns[i].size() == batch.rows.size());
      all.columns[i].insert(all.columns[i].end(), batch.columns[i].begin(), batch.columns[i].end());
    }
    if (!batch.header.empty()) all.headers.push_back(batch.header);
    all.num_empty += batch.num_empty;
    all.num_bytes += batch.num_bytes;
  }
  all.names = reader.names();
  return all;
}

TEST_CASE("rows are the same for pieces of any size", "[tools][attr_rows]") {
  const TempFolder folder;
  const std::string text = "a\tb\tc\n1\t2\t3\n\n\t\tx\n4\t5\t6";
  const std::string path = folder.Write("rows", text);
  for (size_t block_bytes = 1; block_bytes < 2 * text.size(); ++block_bytes) {
    INFO(block_bytes << " bytes");
    const AllRows all = ReadRows({path, path}, {}, block_bytes);
    CHECK(all.error.empty());
    CHECK(all.names == Strings{"a", "b", "c"});
    CHECK(all.rows == Strings{"1\t2\t3", "\t\tx", "4\t5\t6", "1\t2\t3", "\t\tx", "4\t5\t6"});
    CHECK(all.columns[0] == Strings{"1", "", "4", "1", "", "4"});
    CHECK(all.columns[2] == Strings{"3", "x", "6", "3", "x", "6"});
    CHECK(all.headers == Strings{"a\tb\tc"});
    CHECK(all.num_empty == 2);
    CHECK(all.num_bytes == 2 * text.size());
  }
}

TEST_CASE("columns are chosen by name or number, in any order", "[tools][attr_rows]") {
  const TempFolder folder;
  const std::string path = folder.Write("rows", "a\tb\tc\n1\t2\t3\n");
  const AllRows chosen = ReadRows({path}, {.columns = {"c", "1"}});
  CHECK(chosen.names == Strings{"c", "a"});
  CHECK(chosen.columns == std::vector<Strings>{{"3"}, {"1"}});
  const AllRows numbered = ReadRows({path}, {.columns = {"3", "2"}, .has_header = false});
  CHECK(numbered.names == Strings{"3", "2"});
  CHECK(numbered.columns == std::vector<Strings>{{"c", "3"}, {"b", "2"}});
  CHECK(numbered.headers.empty());
  const AllRows all = ReadRows({path}, {.has_header = false});
  CHECK(all.names == Strings{"1", "2", "3"});
}

TEST_CASE("later files have their own order of columns", "[tools][attr_rows]") {
  const TempFolder folder;
  const std::string first = folder.Write("first", "a\t7\n1\t2\n");
  const std::string second = folder.Write("second", "more\t7\ta\nx\t4\t3\n");
  const AllRows all = ReadRows({first, second}, {});
  CHECK(all.error.empty());
  CHECK(all.columns == std::vector<Strings>{{"1", "3"}, {"2", "4"}});
  CHECK(ReadRows({second, first}, {}).error ==
        first + ":1: no column named 'more'; there are 'a', '7'");
}

TEST_CASE("a number that names a column is a name", "[tools][attr_rows]") {
  const TempFolder folder;
  const std::string path = folder.Write("rows", "2\t1\tx\na\tb\tc\n");
  CHECK(ReadRows({path}, {.columns = {"1", "3"}}).columns == std::vector<Strings>{{"b"}, {"c"}});
  CHECK(ReadRows({path}, {}).names == Strings{"2", "1", "x"});
  const std::string other = folder.Write("other", "x\t2\ty\td\te\tf\n");
  CHECK(ReadRows({path, other}, {}).error == other +
                                                 ":1: no column named '1'; there are 'x', '2', "
                                                 "'y', 'd', 'e', 'f'");
}

TEST_CASE("a carriage return is left out where lines end in one", "[tools][attr_rows]") {
  const TempFolder folder;
  const std::string path = folder.Write("rows", "a\tb\r\n1\t2\r\n\r\n");
  const AllRows all = ReadRows({path}, {.strip_cr = true});
  CHECK(all.names == Strings{"a", "b"});
  CHECK(all.columns == std::vector<Strings>{{"1"}, {"2"}});
  CHECK(all.rows == Strings{"1\t2\r"});
  CHECK(ReadRows({path}, {.columns = {"a", "b"}}).error ==
        path + ":1: no column named 'b'; there are 'a', 'b\\x0d'");
}

TEST_CASE("what is wrong with rows is told with file and line", "[tools][attr_rows]") {
  const TempFolder folder;
  const std::string ragged = folder.Write("ragged", "a\tb\n1\t2\n\n3\n5\t6\n");
  for (const size_t block_bytes : {size_t{1}, size_t{4}, size_t{4096}}) {
    const AllRows all = ReadRows({ragged}, {}, block_bytes);
    CHECK(all.rows == Strings{"1\t2"});  // those before it are handed out
    CHECK(all.error == ragged + ":4: 1 field in the row, where 2 are expected");
  }
  const std::string wide = folder.Write("wide", "a\n1\n1\t2\t3\n");
  CHECK(ReadRows({wide}, {}).error == wide + ":3: 3 fields in the row, where 1 is expected");
  CHECK(ReadRows({wide}, {.columns = {"a", "zz"}}).error ==
        wide + ":1: no column named 'zz'; there are 'a'");
  CHECK(ReadRows({wide}, {.columns = {"2"}}).error == wide + ":1: no column 2: there are 1");
  CHECK(ReadRows({wide}, {.columns = {"0"}}).error ==
        wide + ":1: columns are counted from 1, not '0'");
  CHECK(ReadRows({wide}, {.columns = {"a", "1"}}).error == wide + ":1: column '1' is chosen twice");
  CHECK(ReadRows({wide}, {.columns = {"a"}, .has_header = false}).error ==
        wide + ":1: no column named 'a' without a header: give its number in --columns");
  const std::string twice = folder.Write("twice", "a\tb\ta\n9\t2\t1\n");
  CHECK(ReadRows({twice}, {.columns = {"a", "b"}}).error ==
        twice + ":1: two columns are named 'a': choose by number in --columns");
  CHECK(ReadRows({twice}, {.columns = {"3", "b"}}).rows == Strings{"9\t2\t1"});
  const std::string other = folder.Write("other", "b\ta\n2\t1\n");
  const std::string first = folder.Write("first", "a\tb\n1\t2\n");
  CHECK(ReadRows({first, other}, {}).rows.size() == 2);
  CHECK(ReadRows({first, other}, {.wants_one_header = true}).error ==
        other + ":1: another header than that of the first file, under which rows are printed");
  CHECK(ReadRows({folder.Path("none")}, {}).error.find("none") != std::string::npos);
}

TEST_CASE("an empty file has no header, and no rows", "[tools][attr_rows]") {
  const TempFolder folder;
  const std::string empty = folder.Write("empty", "");
  const std::string rows = folder.Write("rows", "a\n1\n");
  const std::string want =
      empty + ": empty: its first line should name the columns (or say --no-header)";
  CHECK(ReadRows({empty}, {}).error == want);
  CHECK(ReadRows({empty, rows}, {}).error == want);
  CHECK(ReadRows({rows, empty}, {}).error == want);
  const AllRows none = ReadRows({empty, rows}, {.has_header = false});
  CHECK(none.error.empty());
  CHECK(none.rows == Strings{"a", "1"});
  const AllRows header_only = ReadRows({folder.Write("header", "a\tb")}, {});
  CHECK(header_only.error.empty());
  CHECK(header_only.names == Strings{"a", "b"});
  CHECK(header_only.rows.empty());
}

}  // namespace
}  // namespace trommel::tool
