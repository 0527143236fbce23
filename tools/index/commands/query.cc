// trommel-index query: the rows with these values.
#include "trommel/index/query.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/commands/table_commands.h"
#include "tools/index/rows/attribute_names.h"
#include "tools/index/table/answer_output.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct TableQueryOptions {
  TableOptions table;
  std::vector<std::string> conditions;
  bool broadcast = false;
  uint64_t limit = UINT64_MAX;
  double timeout_seconds = 10;
};

// With --json all is one object on standard output; else rows go there, and the plan to standard
// error.
Status PrintAnswer(const TableQueryOptions& options, const Settings& settings,
                   const index::Schema& schema, const index::QueryOutcome& outcome) {
  const std::span<const index::Row> rows(outcome.rows.data(),
                                         std::min<uint64_t>(outcome.rows.size(), options.limit));
  Report report;
  DescribeAnswer(schema, outcome, report);
  if (settings.json) {
    Json list = Json::Array();
    for (const index::Row& row : rows) {
      if (!settings.quiet) list.Append(RowJson(schema, row));
    }
    report.AddField("rows", std::move(list));
    return report.Print(true, stdout);
  }
  if (settings.quiet) {
    if (Status printed = WriteText(fmt::format("{}\n", outcome.rows.size()), stdout);
        !printed.ok()) {
      return printed;
    }
  } else {
    if (Status printed = PrintRows(schema, rows); !printed.ok()) return printed;
    if (rows.size() < outcome.rows.size()) {
      report.AddLine(fmt::format("{} not printed (--limit)",
                                 FormatCount(outcome.rows.size() - rows.size(), "row")));
    }
    return report.Print(false, stderr);
  }
  return Ok();
}

int RunTableQuery(const TableQueryOptions& options, const Settings& settings,
                  const index::Cluster& table) {
  const index::Schema& schema = table.config().schema;
  index::QueryRequest request;
  request.routing = options.broadcast ? index::Routing::kBroadcast : index::Routing::kDirectory;
  request.timeout = std::chrono::milliseconds(
      std::max<int64_t>(1, static_cast<int64_t>(options.timeout_seconds * 1000)));
  for (const std::string& text : options.conditions) {
    Result<index::Condition> condition = ParseCondition(schema, text);
    if (!condition.ok()) return FailOnRequest(condition.error());
    request.conditions.push_back(std::move(*condition));
  }
  const Result<index::QueryOutcome> outcome = table.Find(request);
  if (!outcome.ok()) return FailOnRequest(outcome.error());
  const Status printed = PrintAnswer(options, settings, schema, *outcome);
  if (!printed.ok()) return FailOnInput(printed.error());
  if (!outcome->unanswered.empty()) {
    return Fail(kBadInput,
                fmt::format("the answer is not complete: {} of keys not answered, the first by "
                            "server {}: {}",
                            FormatCount(outcome->unanswered.size(), "range"),
                            outcome->unanswered.front().server,
                            outcome->unanswered.front().reason.message));
  }
  return outcome->rows.empty() ? kNegativeAnswer : kDone;
}

}  // namespace

void AddTableQuery(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "query",
      "Print the rows that have these values, all of them\n"
      "Rows are printed to standard output, tab-separated under a header line, and how they were\n"
      "found to standard error. With -q only their number is printed. Exits 0 if there are rows, 1 "
      "if\n"
      "there are none, 3 if a server did not answer.");
  auto options = std::make_shared<TableQueryOptions>();
  AddTable(command, options->table);
  command.Arguments("ATTRIBUTE=VALUE", options->conditions, "What a row must have").Required();
  command.Flag("--broadcast", options->broadcast,
               "Ask all servers, without the directory: for comparison");
  AddCount(command, "--limit", options->limit, "Print no more rows than this (default: all)");
  constexpr double kLeastSeconds = 0.001;
  constexpr double kMostSeconds = 86'400;
  AddSeconds(
      command, "--timeout", kLeastSeconds, kMostSeconds, options->timeout_seconds,
      fmt::format("How long to wait for servers, in all (default {:g})", options->timeout_seconds));
  SetTableAction(command, settings, options, RunTableQuery);
}

}  // namespace trommel::tool
