// trommel-index load: a table from a tab-separated file.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/commands/table_commands.h"
#include "tools/index/rows/row_sample.h"
#include "tools/index/table/new_table.h"
#include "tools/index/table/table_access.h"
#include "tools/index/table/table_loader.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct LoadOptions {
  TableOptions table;
  NewTableOptions made;
  bool append = false;
};

// What only a new table can be given.
constexpr std::array kOfNewTables = {"--index", "--not-index", "--servers", "--regions",
                                     "--rate",  "--structure", "--versions"};

constexpr std::array kStructures = {index::Structure::kMap, index::Structure::kServerFilters};

std::vector<std::string> NamesOfStructures() {
  std::vector<std::string> names;
  for (const index::Structure structure : kStructures) names.emplace_back(StructureName(structure));
  return names;
}

// Writes the loader's rows, builds the columns and closes. Requires that interrupts are noted.
int LoadAndClose(const LoadOptions& options, const Settings& settings, TableLoader& loader,
                 index::Cluster& table, Report& report) {
  const std::string& folder = options.table.folder;
  Status done = loader.WriteTo(table);
  if (done.ok()) done = BuildTable(table, settings.quiet);
  int code = kDone;
  if (!done.ok() || NotedInterrupt() != 0) {
    const std::string& path = options.made.input.path;
    code = FailHalfway(done.ok() ? Error{} : done.error(),
                       fmt::format("{} of {} are in {}", FormatCount(loader.num_rows(), "row"),
                                   path == "-" ? "(stdin)" : path, folder));
  }
  code = CloseTable(table, folder, code);
  if (code != kDone) return code;
  loader.Describe(report);
  return Finish(report, settings.json, kDone);
}

// Fails before the input is read, for what Create would refuse later.
Status CheckNewFolder(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return Ok();
  if (std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error)) {
    return Ok();
  }
  return Error{ErrorCode::kExists,
               fmt::format("{} exists: load adds rows to a table with --append", folder)};
}

int LoadNew(const LoadOptions& options, const Settings& settings) {
  if (const Status fresh = CheckNewFolder(options.table.folder); !fresh.ok()) {
    return FailOnInput(fresh.error());
  }
  NoteInterrupts();
  const std::string& folder = options.table.folder;
  int code = kDone;
  std::optional<NewTable> made = ReadNewTable(options.made, code);
  if (!made) return code;
  const index::ClusterConfig& config = made->config;
  Result<index::Cluster> table =
      index::Cluster::Create(folder, config, OpenOptionsOf(options.table));
  if (!table.ok()) return FailOnRequest(table.error());

  Report report;
  const auto& attributes = config.schema.attributes;
  const auto num_indexed = static_cast<uint64_t>(std::ranges::count_if(
      attributes, [](const auto& attribute) { return attribute.is_indexed; }));
  report.Add("num_attributes", attributes.size(), "attributes",
             fmt::format("{}, {} indexed", attributes.size(), num_indexed));
  report.AddField("num_indexed", num_indexed);
  report.Add("num_regions", config.splits.size() + 1, "regions",
             fmt::format("{} on {}", FormatCount(config.splits.size() + 1),
                         FormatCount(config.num_servers, "server")));
  report.AddField("num_servers", config.num_servers);
  report.AddField("is_cut_by_all_rows", made->is_cut_by_all_rows);
  if (!made->is_cut_by_all_rows) {
    report.AddLine(
        "The regions were cut by the first rows alone, because the input is no regular file.");
  }
  return LoadAndClose(options, settings, made->loader, *table, report);
}

int Append(const LoadOptions& options, const Settings& settings) {
  NoteInterrupts();
  Result<index::Cluster> table =
      index::Cluster::Open(options.table.folder, OpenOptionsOf(options.table));
  if (!table.ok()) return FailOnRequest(table.error());
  if (options.made.input.columns.key.empty() && table->config().schema.key_columns.empty()) {
    return CloseTable(*table, options.table.folder, Fail(kUsageError, "--append: needs --key"));
  }
  Result<TableLoader> loader =
      TableLoader::Open(options.made.input, [&](std::span<const std::string> names) {
        return TableColumns::ForTable(options.made.input.columns, names, table->config().schema);
      });
  KeySample sample;
  Status read = Ok();
  if (!loader.ok()) {
    read = loader.error();
  } else if (const Result<bool> ahead = loader->ReadAhead(sample, 0); !ahead.ok()) {
    read = ahead.error();
  }
  if (!read.ok()) return CloseTable(*table, options.table.folder, FailOnInput(read.error()));
  Report report;
  return LoadAndClose(options, settings, *loader, *table, report);
}

void AddNewTableOptions(Command& command, LoadOptions& options) {
  const Option indexed = command.Text("--index", options.made.input.columns.indexed, "LIST",
                                      "Attributes to index (default: all but the key)");
  command
      .Text("--not-index", options.made.input.columns.not_indexed, "LIST",
            "Attributes not to index: queries of them ask all servers")
      .Excludes(indexed);
  AddRegions(command, options.made);
  command
      .Parsed("--structure", "NAME",
              "Of the directory: map, a table of fingerprints and regions; server-filters, a "
              "filter per "
              "server (default map)",
              [&options](const std::string& name) {
                for (const index::Structure structure : kStructures) {
                  if (name == StructureName(structure)) options.made.structure = structure;
                }
                return Ok();
              })
      .OneOf(NamesOfStructures());
  AddRate(command, "--rate", options.made.target_fpr,
          fmt::format("False-positive rate of a filter when it is full (default {:g})",
                      options.made.target_fpr));
  AddNumber(
      command, "--versions", 1, index::kMaxVersions, "N",
      "Versions of a row that are kept: a row has the values of all of them (default 1)",
      [&options](uint64_t number) { options.made.max_versions = static_cast<uint32_t>(number); });
}

}  // namespace

void AddTableLoad(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "load",
      "Make a table from a tab-separated file\n"
      "The file's first line names the columns. A regular file is read twice, and nothing is\n"
      "written if a row of it is wrong; of a pipe, all rows before the wrong one's batch are.\n"
      "Ctrl-C stops after a batch and reports how many rows were written.");
  auto options = std::make_shared<LoadOptions>();
  AddTable(command, options->table);
  command.Text("FILE", options->made.input.path, "", "Tab-separated rows; -: standard input")
      .Required();
  command.Flag(
      "--append", options->append,
      "Add the rows to an existing table (needs --key, if the table names no key columns)");
  AddTableInput(command, options->made.input);
  command.Find("--key").Help(
      "Columns whose cells are the row's key, which the table keeps by name (default: the row's "
      "number as 8 hex digits; with --append, the table's key columns)");
  AddNewTableOptions(command, *options);
  AddTableSync(command, options->table);
  command.SetAction([&settings, options, command] {
    options->made.input.quiet = settings.quiet;
    if (!options->append) return LoadNew(*options, settings);
    for (const char* const name : kOfNewTables) {
      if (command.IsGiven(name)) throw UsageError{name, "not with --append"};
    }
    return Append(*options, settings);
  });
}

}  // namespace trommel::tool
