// Writing the rows of a tab-separated file into a table.
#ifndef TROMMEL_TOOLS_INDEX_TABLE_LOADER_H_
#define TROMMEL_TOOLS_INDEX_TABLE_LOADER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/index/rows/row_sample.h"
#include "tools/index/rows/table_columns.h"
#include "tools/index/rows/table_rows.h"
#include "tools/trommel/options/command_line.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"
#include "trommel/result.h"

namespace trommel::tool {

// A file, and how its columns become rows.
struct TableInput {
  std::string path;  // "-": standard input
  bool strip_cr = false;
  ColumnOptions columns;
  uint64_t batch_rows = 1000;  // per call of Cluster::Write
  bool quiet = false;          // no progress
};

// What the columns of these names are to a table.
using FindColumns = std::function<Result<TableColumns>(std::span<const std::string> names)>;

using WatchRow = std::function<void(const index::Row& row)>;

// Not thread-safe.
class TableLoader {
 public:
  // Opens the input, prints notes on how it begins, and finds its columns. Fails as TableRows::Open
  // and `find` do.
  static Result<TableLoader> Open(const TableInput& input, const FindColumns& find);

  const TableColumns& columns() const noexcept { return columns_; }

  // Reads a regular file to its end, another input until `most_held` rows are held in memory, and
  // writes nothing: an error in these rows fails here. Adds their keys to the sample. Returns
  // whether that was all.
  Result<bool> ReadAhead(KeySample& sample, size_t most_held);

  // Writes all rows in batches. Stops behind a whole batch when a row is wrong, a write fails or an
  // interrupt is noted, and fails. num_rows() are in the table then. Shows each row to `watch`
  // before it is written.
  Status WriteTo(index::Cluster& table, const WatchRow& watch = nullptr);

  uint64_t num_rows() const noexcept { return num_written_; }

  // Rows, different keys, speed.
  void Describe(Report& report);

 private:
  TableLoader(TableInput input, TableRows rows, TableColumns columns);

  Status WriteBatch(index::Cluster& table, std::span<index::Row> rows, const WatchRow& watch);

  TableInput input_;
  TableRows rows_;
  TableColumns columns_;
  std::vector<index::Row> held_;  // read and not written
  DifferentKeys keys_;
  uint64_t num_written_ = 0;
  double seconds_ = 0;  // of WriteTo
};

// Adds --key, --set-valued, --null, --crlf and --batch.
void AddTableInput(Command& command, TableInput& input);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_TABLE_LOADER_H_
