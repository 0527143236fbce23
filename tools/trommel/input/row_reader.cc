// Rows: one pass over a piece, one over each line.
#include "tools/trommel/input/row_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tools/trommel/input/column_names.h"
#include "tools/trommel/input/key_format.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

using Fields = std::vector<std::string_view>;

constexpr size_t kNowhere = SIZE_MAX;

KeyOptions OptionsOf(const RowFormat& format) {
  KeyOptions options;  // a line a record; the column that keys would have is not looked for
  options.has_header = format.has_header;
  options.strip_cr = format.strip_cr;
  options.as_lines = format.as_lines;
  options.are_rows = true;
  options.comment = format.comment;
  return options;
}

Fields FieldsOf(std::string_view line) {
  Fields fields;
  for (;;) {
    const size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

std::string_view WithoutCr(std::string_view line, bool strip_cr) {
  if (strip_cr && line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Error BadRow(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace

RowReader::RowReader(const std::vector<std::string>& paths, RowFormat format,
                     const ReaderLimits& limits)
    : format_(std::move(format)), reader_(paths, OptionsOf(format_), limits) {}

Result<bool> RowReader::Next(RowBatch& batch) {
  if (error_) return *error_;
  batch.rows.clear();
  for (std::vector<std::string_view>& column : batch.columns) column.clear();
  batch.header.clear();
  batch.num_empty = 0;
  if (!reader_.Next(batch.piece)) {
    if (awaits_columns_ && format_.has_header) return NoHeader();
    return false;
  }
  batch.num_bytes = batch.piece.num_bytes;
  batch.is_input_idle = batch.piece.is_input_idle;
  Status read = Ok();
  if (batch.piece.is_first) {
    if (awaits_columns_ && format_.has_header) read = NoHeader();
    file_name_ = batch.piece.file_name;
    line_ = 0;
    awaits_columns_ = true;
  }
  if (read.ok() && batch.piece.has_header) read = StartFile(batch);
  if (read.ok()) read = AddRows(batch);
  if (read.ok() && batch.piece.error) {
    ++line_;
    read = batch.piece.is_error_of_line ? At(batch.piece.error->message) : *batch.piece.error;
  }
  if (!read.ok()) error_ = read.error();
  if (error_ && batch.rows.empty()) return *error_;
  if (!batch.rows.empty()) batch.header.swap(header_);
  return true;
}

Status RowReader::StartFile(const RowBatch& batch) {
  line_ += batch.piece.num_header_lines;
  if (!batch.piece.header.empty()) header_ = batch.piece.header;
  std::string_view header(batch.piece.buffer.data(), batch.piece.begin);
  header.remove_prefix(batch.piece.header_begin);
  header = WithoutCr(header.substr(0, header.find('\n')), format_.strip_cr);
  if (!first_header_) first_header_ = header;
  if (format_.wants_one_header && header != *first_header_) {
    return At("another header than that of the first file, under which rows are printed");
  }
  return FindColumns(header);
}

Status RowReader::FindColumns(std::string_view first_line) {
  awaits_columns_ = false;
  const Fields fields = FieldsOf(first_line);
  slot_of_column_.assign(fields.size(), kNowhere);
  std::vector<std::string> wanted = format_.columns.empty() ? names_ : format_.columns;
  if (wanted.empty()) {
    for (size_t i = 0; i < fields.size(); ++i) wanted.push_back(std::to_string(i + 1));
  }
  std::vector<std::string> names;
  std::vector<size_t> places;
  for (size_t slot = 0; slot < wanted.size(); ++slot) {
    const Result<size_t> column_idx = FindColumn(wanted[slot], fields);
    if (!column_idx.ok()) return column_idx.error();
    if (slot_of_column_[*column_idx] != kNowhere) {
      return At(fmt::format("column {} is chosen twice", Quoted(wanted[slot])));
    }
    slot_of_column_[*column_idx] = slot;
    places.push_back(*column_idx);
    names.emplace_back(format_.has_header ? fields[*column_idx] : std::string_view(wanted[slot]));
  }
  if (!names_.empty()) return Ok();
  if (format_.makes_names) {
    if (Status fit = CheckEachName(names, places); !fit.ok()) return At(fit.error().message);
  }
  names_ = std::move(names);
  return Ok();
}

// A number that names a column is a name; what the first file's header said is never a number.
Result<size_t> RowReader::FindColumn(std::string_view name, const Fields& fields) {
  const bool is_by_place = format_.columns.empty() && names_.empty();
  const auto found = std::ranges::find(fields, name);
  if (format_.has_header && !is_by_place && found != fields.end()) {
    if (std::find(found + 1, fields.end(), name) != fields.end()) {
      return At(
          fmt::format("two columns are named {}: choose by number in --columns", Quoted(name)));
    }
    return static_cast<size_t>(found - fields.begin());
  }
  const bool is_number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || (format_.has_header && !is_by_place && format_.columns.empty())) {
    if (format_.has_header) {
      const std::vector<std::string> names(fields.begin(), fields.end());
      return At(FindNamed("column", name, names).error().message);
    }
    return At(fmt::format("no column named {} without a header: give its number in --columns",
                          Quoted(name)));
  }
  const Result<uint64_t> number = ParseU64(name);
  if (!number.ok() || *number == 0) {
    is_choice_wrong_ = true;
    return At("columns are counted from 1, not " + Quoted(name));
  }
  if (*number <= fields.size()) return static_cast<size_t>(*number - 1);
  return At(fmt::format("no column {}: there are {}", name, fields.size()));
}

Status RowReader::AddRows(RowBatch& batch) {
  batch.piece.line_before = line_;
  std::string_view text = batch.piece.text();
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_;
    const std::string_view line = WithoutCr(row, format_.strip_cr);
    if (line.empty() || IsComment(line, format_.comment)) {
      ++batch.num_empty;
      continue;
    }
    if (awaits_columns_) {
      if (Status found = FindColumns(line); !found.ok()) return found;
    }
    if (batch.columns.size() < names_.size()) batch.columns.resize(names_.size());
    if (Status added = AddRow(line, batch); !added.ok()) return added;
    batch.rows.push_back(row);
  }
  return Ok();
}

Status RowReader::AddRow(std::string_view line, RowBatch& batch) {
  const size_t num_columns = slot_of_column_.size();
  size_t num_fields = 0;
  const char* const end = line.data() + line.size();
  for (const char* begin = line.data();;) {
    const void* tab = std::memchr(begin, '\t', static_cast<size_t>(end - begin));
    const char* const stop = tab == nullptr ? end : static_cast<const char*>(tab);
    if (num_fields < num_columns && slot_of_column_[num_fields] != kNowhere) {
      batch.columns[slot_of_column_[num_fields]].emplace_back(begin,
                                                              static_cast<size_t>(stop - begin));
    }
    ++num_fields;
    if (tab == nullptr) break;
    begin = stop + 1;
  }
  if (num_fields == num_columns) return Ok();
  // Fields that were taken of it go again.
  for (std::vector<std::string_view>& column : batch.columns) column.resize(batch.rows.size());
  return At(
      fmt::format("{} in the row, where {} expected",
                  num_fields == 1 ? std::string("1 field") : fmt::format("{} fields", num_fields),
                  num_columns == 1 ? std::string("1 is") : fmt::format("{} are", num_columns)));
}

Error RowReader::At(std::string message) const {
  return BadRow(fmt::format("{}:{}: {}", file_name_, line_, message));
}

Error RowReader::NoHeader() const {
  return BadRow(fmt::format("{}: empty: its first line should name the columns{}", file_name_,
                            format_.needs_header ? "" : " (or say --no-header)"));
}

}  // namespace trommel::tool
