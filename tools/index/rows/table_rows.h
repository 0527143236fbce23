// TableRows: the rows of a tab-separated file with a header, batch by batch.
#ifndef TROMMEL_TOOLS_INDEX_TABLE_ROWS_H_
#define TROMMEL_TOOLS_INDEX_TABLE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/index/rows/table_columns.h"
#include "tools/trommel/input/row_reader.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

// Not thread-safe.
class TableRows {
 public:
  // Opens a file, or "-" for standard input, and reads its header. Fails with kIo, and with
  // kInvalidArgument, naming the file, where there is none.
  static Result<TableRows> Open(const std::string& path, bool strip_cr);

  // What the header calls the columns.
  const std::vector<std::string>& names() const noexcept { return reader_.names(); }

  // On how the file begins, for people.
  const std::vector<std::string>& notes() const noexcept { return notes_; }

  // The next rows, perhaps none; false at the end. Fails with kIo and, naming file and line, with
  // kInvalidArgument for a row with another number of fields than the header and as
  // TableColumns::RowOf does; rows before it were handed out.
  Result<bool> Next(const TableColumns& columns, std::vector<index::Row>& rows);

  uint64_t num_rows() const noexcept { return num_rows_; }    // handed out
  uint64_t num_empty() const noexcept { return num_empty_; }  // empty lines, skipped
  uint64_t num_bytes() const noexcept { return num_bytes_; }  // read

 private:
  TableRows(const std::string& path, bool strip_cr);

  RowReader reader_;
  RowBatch batch_;
  std::vector<std::string> notes_;
  bool has_batch_ = false;  // read with the header, and not handed out yet
  std::optional<Error> error_;
  uint64_t num_rows_ = 0;
  uint64_t num_empty_ = 0;
  uint64_t num_bytes_ = 0;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_TABLE_ROWS_H_
