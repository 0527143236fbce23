// A regular file is read twice, first without writing; a pipe is read once.
#include "tools/index/table/table_loader.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "tools/trommel/input/input_file.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {
namespace {

Error Interrupted() { return {ErrorCode::kIo, "interrupted"}; }

}  // namespace

TableLoader::TableLoader(TableInput input, TableRows rows, TableColumns columns)
    : input_(std::move(input)), rows_(std::move(rows)), columns_(std::move(columns)) {}

Result<TableLoader> TableLoader::Open(const TableInput& input, const FindColumns& find) {
  Result<TableRows> rows = TableRows::Open(input.path, input.strip_cr);
  if (!rows.ok()) return rows.error();
  for (const std::string& note : rows->notes()) PrintNote(note);
  Result<TableColumns> columns = find(rows->names());
  if (!columns.ok()) return columns.error();
  return TableLoader(input, std::move(*rows), std::move(*columns));
}

Result<bool> TableLoader::ReadAhead(KeySample& sample, size_t most_held) {
  const std::optional<uint64_t> total_bytes = TotalBytes({input_.path});
  Progress progress("reading", input_.quiet, total_bytes);
  std::optional<TableRows> survey;
  if (total_bytes) {
    Result<TableRows> opened = TableRows::Open(input_.path, input_.strip_cr);
    if (!opened.ok()) return opened.error();
    survey.emplace(std::move(*opened));
  }
  TableRows& source = survey ? *survey : rows_;
  std::vector<index::Row> rows;
  while (survey || held_.size() < most_held) {
    const Result<bool> has_rows = source.Next(columns_, rows);
    if (!has_rows.ok()) return has_rows.error();
    if (!*has_rows) return true;
    if (NotedInterrupt() != 0) return Interrupted();
    for (const index::Row& row : rows) sample.Add(row.key);
    if (!survey) std::ranges::move(rows, std::back_inserter(held_));
    progress.Update(source.num_rows(), source.num_bytes(), "rows");
  }
  return false;
}

Status TableLoader::WriteTo(index::Cluster& table, const WatchRow& watch) {
  const auto start = std::chrono::steady_clock::now();
  Progress progress("loading", input_.quiet, TotalBytes({input_.path}));
  std::vector<index::Row> rows;
  for (bool has_more = true; has_more;) {
    const Result<bool> read = rows_.Next(columns_, rows);
    has_more = read.ok() && *read;
    std::ranges::move(rows, std::back_inserter(held_));
    std::span<index::Row> left = held_;
    // The last batch may be smaller, but not before an error: "after the last whole batch".
    while (left.size() >= input_.batch_rows || (read.ok() && !has_more && !left.empty())) {
      const size_t num_rows = std::min<size_t>(left.size(), input_.batch_rows);
      if (Status done = WriteBatch(table, left.first(num_rows), watch); !done.ok()) return done;
      left = left.subspan(num_rows);
      if (NotedInterrupt() != 0) return Interrupted();
      progress.Update(num_written_, rows_.num_bytes(), "rows");
    }
    held_.erase(held_.begin(), held_.end() - static_cast<std::ptrdiff_t>(left.size()));
    if (!read.ok()) return read.error();
  }
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return Ok();
}

Status TableLoader::WriteBatch(index::Cluster& table, std::span<index::Row> rows,
                               const WatchRow& watch) {
  std::vector<index::Mutation> mutations;
  mutations.reserve(rows.size());
  for (index::Row& row : rows) {
    keys_.Add(row.key);
    if (watch) watch(row);
    mutations.push_back({std::move(row.key), std::move(row.attributes)});
  }
  if (Status written = table.Write(mutations); !written.ok()) return written;
  num_written_ += rows.size();
  return Ok();
}

void TableLoader::Describe(Report& report) {
  const uint64_t num_keys = keys_.Count();
  report.Add("num_rows", num_written_, "rows", FormatCount(num_written_));
  report.Add("num_keys", num_keys, "different keys",
             num_keys == num_written_
                 ? FormatCount(num_keys)
                 : fmt::format("{}: {} overwrote a row of the same key", FormatCount(num_keys),
                               FormatCount(num_written_ - num_keys)));
  report.AddField("num_empty_lines", rows_.num_empty());
  if (rows_.num_empty() > 0) {
    report.AddLine(FormatCount(rows_.num_empty(), "empty line") + " skipped");
  }
  const double rate = seconds_ > 0 ? static_cast<double>(num_written_) / seconds_ : 0;
  report.Add(
      "seconds", seconds_, "time",
      fmt::format("{:.2f} s, {} rows/s", seconds_, FormatCount(static_cast<uint64_t>(rate))));
}

void AddTableInput(Command& command, TableInput& input) {
  command.Text("-k,--key", input.columns.key, "LIST",
               "Columns whose cells are the row's key; of several, it is shown and typed a=1,b=2");
  command.Repeatable("--set-valued", input.columns.set_valued, "LIST[:SEPARATOR]",
                     "Columns whose cells are sets: tags,uses or 'tags:;' (separator: a comma; "
                     "spaces around values are removed)");
  command.Repeatable("--null", input.columns.nulls, "TEXT",
                     "A cell with this text is null, as an empty one is");
  command.Flag("--crlf", input.strip_cr, "Lines end with a carriage return and a newline");
  constexpr uint64_t kMostRows = 1'000'000;
  AddNumber(command, "--batch", 1, kMostRows, "ROWS",
            fmt::format("Rows per write (default {})", FormatCount(input.batch_rows)),
            [&input](uint64_t rows) { input.batch_rows = rows; });
}

}  // namespace trommel::tool
