// Cells are views into the reader's batch; rows are copies.
#include "tools/index/rows/table_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

namespace trommel::tool {
namespace {

constexpr ReaderLimits kTableLimits{.block_bytes = size_t{1} << 20};

RowFormat FormatOf(bool strip_cr) {
  RowFormat format;
  format.needs_header = true;
  format.strip_cr = strip_cr;
  format.makes_names = true;
  return format;
}

}  // namespace

TableRows::TableRows(const std::string& path, bool strip_cr)
    : reader_({path}, FormatOf(strip_cr), kTableLimits) {}

Result<TableRows> TableRows::Open(const std::string& path, bool strip_cr) {
  TableRows rows(path, strip_cr);
  while (rows.names().empty()) {
    const Result<bool> has_rows = rows.reader_.Next(rows.batch_);
    std::ranges::move(rows.batch_.piece.notes, std::back_inserter(rows.notes_));
    if (!has_rows.ok()) {
      // The header was fine and the first row is not: Next fails.
      if (rows.names().empty()) return has_rows.error();
      rows.error_ = has_rows.error();
      break;
    }
    rows.has_batch_ = true;  // never the end: a file without a header is an error
    rows.num_bytes_ += rows.batch_.num_bytes;
  }
  if (rows.names().back().ends_with('\r')) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{}:1: the line ends with a carriage return, which cannot be part of a "
                    "column's name: say --crlf if all lines end so",
                    rows.batch_.piece.file_name)};
  }
  return rows;
}

Result<bool> TableRows::Next(const TableColumns& columns, std::vector<index::Row>& rows) {
  rows.clear();
  if (error_) return *error_;
  if (!std::exchange(has_batch_, false)) {
    const Result<bool> has_rows = reader_.Next(batch_);
    if (!has_rows.ok() || !*has_rows) return has_rows;
    num_bytes_ += batch_.num_bytes;
  }
  num_empty_ += batch_.num_empty;
  std::vector<std::string_view> cells(names().size());
  for (size_t i = 0; i < batch_.rows.size(); ++i) {
    for (size_t column = 0; column < cells.size(); ++column) {
      cells[column] = batch_.columns[column][i];
    }
    Result<index::Row> row = columns.RowOf(cells, num_rows_);
    if (!row.ok()) {
      error_ = Error{
          row.error().code,
          fmt::format("{}: {}", batch_.piece.PlaceOf(batch_.rows[i], '\n'), row.error().message)};
      if (rows.empty()) return *error_;
      return true;
    }
    rows.push_back(std::move(*row));
    ++num_rows_;
  }
  return true;
}

}  // namespace trommel::tool
