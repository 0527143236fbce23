// Rows of a tab-separated file, and where an error in them is said to be.
#include "tools/index/rows/table_rows.h"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;

struct ReadRows {
  std::vector<index::Row> rows;
  uint64_t num_empty = 0;
  std::string error;  // empty: none
};

ReadRows ReadAll(const std::string& path, const ColumnOptions& options, bool strip_cr = false) {
  ReadRows all;
  Result<TableRows> source = TableRows::Open(path, strip_cr);
  if (!source.ok()) return {{}, 0, source.error().message};
  const auto columns = TableColumns::ForNewTable(options, source->names(), 1);
  REQUIRE(columns.ok());
  std::vector<index::Row> rows;
  for (;;) {
    const Result<bool> has_rows = source->Next(*columns, rows);
    all.num_empty = source->num_empty();
    if (!has_rows.ok()) {
      all.error = has_rows.error().message;
      return all;
    }
    if (!*has_rows) return all;
    for (index::Row& row : rows) all.rows.push_back(std::move(row));
    CHECK(source->num_rows() == all.rows.size());
  }
}

TEST_CASE("rows come in the file's order, empty lines are skipped and counted", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Write("f", "k\ta\nx\t1\n\ny\t\nz\t3");
  const ReadRows read = ReadAll(path, {.key = "k"});
  CHECK(read.error.empty());
  CHECK(read.num_empty == 1);
  CHECK(read.rows == std::vector<index::Row>{{"x", {{"1"}}}, {"y", {{}}}, {"z", {{"3"}}}});
}

TEST_CASE("carriage returns go if that is asked for", "[tools]") {
  const TempFolder folder;
  const std::string path = folder.Write("f", "k\ta\r\nx\t1\r\n");
  CHECK(ReadAll(path, {.key = "k"}, true).rows == std::vector<index::Row>{{"x", {{"1"}}}});
}

TEST_CASE("an error names file and line, however far into the file it is", "[tools]") {
  const TempFolder folder;
  const uint64_t num_rows = GENERATE(1, 2, 1000, 200'000);  // the last is several reads
  std::string text = "k\ta\n";
  for (uint64_t i = 0; i < num_rows; ++i) text += "key" + std::to_string(i) + "\tvalue\n";
  text += "\n";
  const std::string line = std::to_string(num_rows + 3);

  const std::string ragged = folder.Write("ragged", text + "x\ty\tz\nw\tv\n");
  const ReadRows read = ReadAll(ragged, {.key = "k"});
  CHECK(read.error == ragged + ":" + line + ": 3 fields in the row, where 2 are expected");
  CHECK(read.rows.size() == num_rows);

  const std::string keyless = folder.Write("keyless", text + "\ty\nw\tv\n");
  const ReadRows read_keyless = ReadAll(keyless, {.key = "k"});
  CHECK(read_keyless.error == keyless + ":" + line + ": the key is empty");
  CHECK(read_keyless.rows.size() == num_rows);
}

}  // namespace
}  // namespace trommel::tool
