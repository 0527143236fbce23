// trommel-index put and get: one row, or the rows of a file.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/commands/table_commands.h"
#include "tools/index/rows/attribute_names.h"
#include "tools/index/rows/table_columns.h"
#include "tools/index/table/row_output.h"
#include "tools/index/table/table_access.h"
#include "tools/index/table/table_loader.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct PutOptions {
  TableOptions table;
  std::string key;
  std::vector<std::string> values;
  TableInput input;
};

int PutRow(const PutOptions& options, const Settings& settings, index::Cluster& table) {
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

int PutFile(const PutOptions& options, const Settings& settings, index::Cluster& table) {
  if (options.input.columns.key.empty() && table.config().schema.key_columns.empty()) {
    return Fail(kUsageError, "--tsv: needs --key");
  }
  Result<TableLoader> loader =
      TableLoader::Open(options.input, [&](std::span<const std::string> names) {
        return TableColumns::ForTable(options.input.columns, names, table.config().schema, false);
      });
  if (!loader.ok()) return FailOnInput(loader.error());
  KeySample sample;
  if (const Result<bool> read = loader->ReadAhead(sample, 0); !read.ok()) {
    return FailOnInput(read.error());
  }
  Status done = loader->WriteTo(table);
  if (done.ok()) done = BuildTable(table, settings.quiet);
  if (!done.ok()) {
    return FailInLoad(options.input, options.table.folder, loader->num_rows(), done.error());
  }
  Report report;
  loader->Describe(report);
  return Finish(report, settings.json, kDone);
}

int GetRow(const std::string& text, const Settings& settings, const index::Cluster& table) {
  const index::Schema& schema = table.config().schema;
  const Result<std::string> key = ParseKey(schema, text);
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
      "Write a row, or the rows of a tab-separated file\n"
      "A row with the key is overwritten, or gets one more version. Attributes that are not\n"
      "named are null; several values of one attribute are a set. A key of several columns is\n"
      "typed a=1,b=2, and gives these attributes their values; others of them are refused.");
  auto options = std::make_shared<PutOptions>();
  AddTable(command, options->table);
  command.Text("KEY", options->key, "", "The row's key: of several columns a=1,b=2");
  command.Arguments("ATTRIBUTE=VALUE", options->values, "The row's values");
  command.Text("--tsv", options->input.path, "FILE",
               "Write these rows instead (needs --key, if the table names no key columns); -: "
               "standard input. Attributes without a column are null");
  AddTableInput(command, options->input);
  AddTableSync(command, options->table);
  command.SetAction([&settings, options, command] {
    const bool has_file = command.IsGiven("--tsv");
    if (has_file && command.IsGiven("KEY")) throw UsageError{"--tsv", "not with KEY"};
    if (!has_file && options->key.empty()) throw UsageError{"KEY", "missing, and no --tsv"};
    options->input.quiet = settings.quiet;
    return WithTable(options->table, [&](index::Cluster& table) {
      return has_file ? PutFile(*options, settings, table) : PutRow(*options, settings, table);
    });
  });
}

void AddTableGet(Command& parent, const Settings& settings) {
  Command command =
      parent.AddSubcommand("get", "Print the row of a key\nExits 0 if there is one, 1 if not.");
  struct GetOptions {
    TableOptions table;
    std::string key;
  };
  auto options = std::make_shared<GetOptions>();
  AddTable(command, options->table);
  command.Text("KEY", options->key, "", "The row's key: of several columns a=1,b=2").Required();
  command.SetAction([&settings, options] {
    return WithTable(options->table, [&](const index::Cluster& table) {
      return GetRow(options->key, settings, table);
    });
  });
}

}  // namespace trommel::tool
