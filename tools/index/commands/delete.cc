// trommel-index delete: rows by their keys.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/index/commands/table_commands.h"
#include "tools/index/rows/table_columns.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/passes/key_pass.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct DeleteOptions {
  TableOptions table;
  std::vector<std::string> keys;
  std::string keys_file;
  bool strip_cr = false;
};

struct DeleteTotals {
  uint64_t num_keys = 0;
  uint64_t num_rows = 0;  // that were there
};

Status DeleteKeys(index::Cluster& table, std::vector<std::string> keys, DeleteTotals& totals) {
  totals.num_keys += keys.size();
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<index::Mutation> mutations;
  for (const std::string& key : keys) {
    const Result<std::optional<index::Row>> row = table.Get(key);
    if (!row.ok()) return row.error();
    if (*row) mutations.push_back({key, std::nullopt});
  }
  if (Status written = table.Write(mutations); !written.ok()) return written;
  totals.num_rows += mutations.size();
  return Ok();
}

// The lines of a file; empty ones are no keys.
Status DeleteLines(index::Cluster& table, const DeleteOptions& options, const Settings& settings,
                   DeleteTotals& totals) {
  KeyInput lines;
  lines.paths = {options.keys_file};
  lines.options.strip_cr = options.strip_cr;
  const auto take = [&](const KeyBatch& batch) {
    std::vector<std::string> keys;
    Status parsed = Ok();
    for (const std::string_view line : batch.records()) {
      const bool ends_in_cr = options.strip_cr && line.ends_with('\r');
      Result<std::string> key =
          ParseKey(table.config().schema, line.substr(0, line.size() - (ends_in_cr ? 1 : 0)));
      if (!key.ok()) {
        parsed = Error{key.error().code,
                       fmt::format("{}: {}", batch.piece.PlaceOf(line, '\n'), key.error().message)};
        break;
      }
      keys.push_back(*std::move(key));
    }
    Status deleted = DeleteKeys(table, std::move(keys), totals);
    return deleted.ok() ? parsed : deleted;
  };
  const Result<PassTotals> read = RunPass("deleting", lines, settings, nullptr, {{}, take});
  return read.ok() ? Ok() : Status(read.error());
}

int Delete(const DeleteOptions& options, const Settings& settings, index::Cluster& table) {
  std::vector<std::string> keys;
  for (const std::string& text : options.keys) {
    Result<std::string> key = ParseKey(table.config().schema, text);
    if (!key.ok()) return FailOnRequest(key.error());
    keys.push_back(*std::move(key));
  }
  DeleteTotals totals;
  Status done = options.keys_file.empty() ? DeleteKeys(table, std::move(keys), totals)
                                          : DeleteLines(table, options, settings, totals);
  if (done.ok()) done = BuildTable(table, settings.quiet);
  if (!done.ok()) {
    return FailHalfway(done.error(), FormatCount(totals.num_rows, "row") + " deleted");
  }
  Report report;
  report.Add("num_keys", totals.num_keys, "keys", FormatCount(totals.num_keys));
  report.Add("num_rows", totals.num_rows, "rows deleted", FormatCount(totals.num_rows));
  return Finish(report, settings.json, totals.num_rows > 0 ? kDone : kNegativeAnswer);
}

}  // namespace

void AddTableDelete(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "delete", "Delete rows\nExits 0 if there was one of the keys, 1 if there was none.");
  auto options = std::make_shared<DeleteOptions>();
  AddTable(command, options->table);
  command.Arguments("KEY", options->keys, "Keys of the rows: of several columns a=1,b=2");
  command.Text("--keys", options->keys_file, "FILE",
               "Delete the rows of these keys, one per line; -: standard input");
  command.Flag("--crlf", options->strip_cr,
               "Lines of --keys end with a carriage return and a newline");
  AddTableSync(command, options->table);
  command.WhenParsed([options, command] {
    const bool has_file = !options->keys_file.empty();
    if (has_file && !options->keys.empty()) throw UsageError{"--keys", "not with KEY"};
    if (!has_file && options->keys.empty()) throw UsageError{"KEY", "missing, and no --keys"};
    if (!has_file && command.IsGiven("--crlf")) throw UsageError{"--crlf", "needs --keys"};
  });
  SetTableAction(command, settings, options, Delete);
}

}  // namespace trommel::tool
