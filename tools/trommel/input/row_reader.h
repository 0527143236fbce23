// Rows of tab-separated files: batches of them, the chosen columns apart. Files are read in large
// pieces; every row must have as many fields as its file's header (or first row) has columns.
#ifndef TROMMEL_TOOLS_ROW_READER_H_
#define TROMMEL_TOOLS_ROW_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/input/piece_reader.h"
#include "trommel/result.h"

namespace trommel::tool {

struct RowFormat {
  // Names, or numbers from 1 of columns that have no such name; without a header, numbers. None:
  // all columns of the first file, which later files must have, by name or in the same places.
  std::vector<std::string> columns = {};
  bool has_header = true;
  bool needs_header = false;  // there is no option to do without one
  bool strip_cr = false;
  bool as_lines = false;  // as KeyOptions', and the next
  std::string comment = {};
  bool wants_one_header = false;  // a later file's that is not the first one's is an error
  bool makes_names = false;       // a filter's: one that it cannot have is an error
};

// Views live until the batch is read into again.
struct RowBatch {
  std::vector<std::string_view> rows;                  // whole, without terminator
  std::vector<std::vector<std::string_view>> columns;  // the chosen ones: a field a row
  std::string header;          // to be passed on before the rows; empty: nothing to pass on
  uint64_t num_empty = 0;      // empty lines and comments, skipped
  uint64_t num_bytes = 0;      // read for it
  bool is_input_idle = false;  // the next batch may have to wait for its input
  Piece piece;
};

// Not thread-safe.
class RowReader {
 public:
  // Paths are read one after the other; "-" is standard input, and so is an empty list.
  RowReader(const std::vector<std::string>& paths, RowFormat format, const ReaderLimits& limits);

  // The next rows, perhaps none; false at the end of all inputs. Fails with kIo, and with
  // kInvalidArgument, naming file and line, for a column that is not there, a name (see
  // makes_names), a row with another number of fields, a file without a header; rows before it were
  // handed out.
  Result<bool> Next(RowBatch& batch);

  // What the chosen columns are called: by the first file's header, or by their numbers. Known as
  // soon as a row is, or a header; empty before.
  const std::vector<std::string>& names() const noexcept { return names_; }

  // Whether Next failed for a choice that no file has: column 0.
  bool is_choice_wrong() const noexcept { return is_choice_wrong_; }

 private:
  Status StartFile(const RowBatch& batch);
  Status FindColumns(std::string_view first_line);
  Result<size_t> FindColumn(std::string_view name, const std::vector<std::string_view>& fields);
  Status AddRows(RowBatch& batch);
  Status AddRow(std::string_view line, RowBatch& batch);
  Error At(std::string message) const;
  Error NoHeader() const;

  const RowFormat format_;
  PieceReader reader_;
  std::vector<std::string> names_;
  std::optional<std::string> first_header_;
  // Of the current file.
  std::string file_name_;
  uint64_t line_ = 0;
  bool awaits_columns_ = false;         // its header, or first row, is yet to come
  std::vector<size_t> slot_of_column_;  // where a column's fields go, or kNowhere
  std::string header_;                  // not yet passed on
  std::optional<Error> error_;          // the next call fails with it
  bool is_choice_wrong_ = false;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_ROW_READER_H_
