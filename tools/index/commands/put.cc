// trommel-index put and get: one row.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/commands/table_commands.h"
#include "tools/index/rows/attribute_names.h"
#include "tools/index/rows/table_columns.h"
#include "tools/index/table/answer_output.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct RowOptions {
  TableOptions table;
  std::string key;
  std::vector<std::string> values;  // of put
};

int PutRow(const RowOptions& options, const Settings& settings, index::Cluster& table) {
  const index::Schema& schema = table.config().schema;
  Result<std::string> key = ParseKey(schema, options.key);
  if (!key.ok()) return FailOnRequest(key.error());
  Result<std::vector<index::Values>> values = ParseRowValues(schema, options.values);
  if (!values.ok()) return FailOnRequest(values.error());
  index::Row row{*std::move(key), *std::move(values)};
  if (const Status added = AddKeyValues(schema, row); !added.ok()) {
    return FailOnRequest(added.error());
  }
  const Status put = table.Put(row);
  if (!put.ok()) return FailOnRequest(put.error());
  if (const Status built = BuildTable(table, settings.quiet); !built.ok()) {
    return FailOnInput(built.error());
  }
  Report report;
  report.AddField("num_rows", 1);
  return Finish(report, settings.json, kDone);
}

int GetRow(const RowOptions& options, const Settings& settings, const index::Cluster& table) {
  const index::Schema& schema = table.config().schema;
  const Result<std::string> key = ParseKey(schema, options.key);
  if (!key.ok()) return FailOnRequest(key.error());
  const Result<std::optional<index::Row>> row = table.Get(*key);
  if (!row.ok()) return FailOnInput(row.error());
  const ExitCode code = *row ? kDone : kNegativeAnswer;
  if (settings.json) {
    Report report;
    report.AddField("row", *row ? RowJson(schema, **row) : Json());
    return Finish(report, true, code);
  }
  if (!*row) return code;
  const Status printed = PrintRows(schema, std::span(&**row, 1));
  return printed.ok() ? int{code} : FailOnInput(printed.error());
}

}  // namespace

void AddTablePut(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "put",
      "Write a row: load --append writes those of a file\n"
      "A row with the key is overwritten, or gets one more version. Attributes that are not\n"
      "named are null; several values of one attribute are a set. A key of several columns is\n"
      "typed a=1,b=2, and gives these attributes their values; others of them are refused.");
  auto options = std::make_shared<RowOptions>();
  AddTable(command, options->table);
  command.Text("KEY", options->key, "", "The row's key: of several columns a=1,b=2").Required();
  command.Arguments("ATTRIBUTE=VALUE", options->values, "The row's values");
  AddTableSync(command, options->table);
  SetTableAction(command, settings, options, PutRow);
}

void AddTableGet(Command& parent, const Settings& settings) {
  Command command =
      parent.AddSubcommand("get", "Print the row of a key\nExits 0 if there is one, 1 if not.");
  auto options = std::make_shared<RowOptions>();
  AddTable(command, options->table);
  command.Text("KEY", options->key, "", "The row's key: of several columns a=1,b=2").Required();
  SetTableAction(command, settings, options, GetRow);
}

}  // namespace trommel::tool
