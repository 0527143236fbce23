// trommel-index load: a table from a tab-separated file.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tools/index/commands/table_commands.h"
#include "tools/index/table/input_options.h"
#include "tools/index/table/table_access.h"
#include "tools/index/table/table_loader.h"
#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"

namespace trommel::tool {
namespace {

struct LoadOptions {
  TableOptions table;
  TableInput input;
  bool append = false;
  uint32_t num_servers = 4;
  uint32_t num_regions = 0;  // 0: not given
  uint32_t max_versions = 1;
  index::Structure structure = index::Structure::kTransposed;
  double target_fpr = index::ClusterConfig{}.target_fpr;
};

// What only a new table can be given.
constexpr std::array kOfNewTables = {"--index", "--not-index", "--servers", "--regions",
                                     "--rate",  "--structure", "--versions"};

// Writes the loader's rows, builds the columns and closes. Requires that interrupts are noted.
int LoadAndClose(const LoadOptions& options, const Settings& settings, TableLoader& loader,
                 index::Cluster& table, Report& report) {
  const auto load = [&]() -> int {
    if (const Status written = loader.WriteTo(table); !written.ok()) {
      return FailInLoad(options.input, options.table.folder, loader.num_rows(), written.error());
    }
    if (const Status built = BuildTable(table, settings.quiet); !built.ok()) {
      return FailInLoad(options.input, options.table.folder, loader.num_rows(), built.error());
    }
    if (NotedInterrupt() != 0) {
      return FailInLoad(options.input, options.table.folder, loader.num_rows(), {});
    }
    return kDone;
  };
  const int code = CloseTable(table, options.table.folder, load());
  if (code != kDone) return code;
  loader.Describe(report);
  return Finish(report, settings.json, kDone);
}

// Fails early, before the input is read: Create says the same later.
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
  bool are_columns_wrong = false;
  Result<TableLoader> loader =
      TableLoader::Open(options.input, [&](std::span<const std::string> names) {
        auto columns =
            TableColumns::ForNewTable(options.input.columns, names, options.max_versions);
        are_columns_wrong = !columns.ok();
        return columns;
      });
  if (!loader.ok())
    return Fail(are_columns_wrong ? kUsageError : kBadInput, loader.error().message);
  KeySample sample;
  constexpr size_t kMostHeldRows = 100'000;
  const Result<bool> is_whole = loader->ReadAhead(sample, kMostHeldRows);
  if (!is_whole.ok()) return FailOnInput(is_whole.error());

  constexpr uint32_t kRegionsPerServer = 4;
  index::ClusterConfig config;
  config.schema = loader->columns().schema();
  config.num_servers = options.num_servers;
  config.splits = sample.Splits(options.num_regions > 0 ? options.num_regions
                                                        : kRegionsPerServer * options.num_servers);
  config.structure = options.structure;
  config.target_fpr = options.target_fpr;
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
  report.AddField("is_cut_by_all_rows", *is_whole);
  if (!*is_whole) {
    report.AddLine(
        "The regions were cut by the first rows alone, because the input is no regular file.");
  }
  return LoadAndClose(options, settings, *loader, *table, report);
}

int Append(const LoadOptions& options, const Settings& settings) {
  NoteInterrupts();
  Result<index::Cluster> table =
      index::Cluster::Open(options.table.folder, OpenOptionsOf(options.table));
  if (!table.ok()) return FailOnInput(table.error());
  Result<TableLoader> loader =
      TableLoader::Open(options.input, [&](std::span<const std::string> names) {
        return TableColumns::ForTable(options.input.columns, names, table->config().schema, true);
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
  command.Parsed("--index", "LIST", "Attributes to index (default: all but the key)",
                 [&options](const std::string& text) {
                   options.input.columns.indexed = text;
                   return Ok();
                 });
  command.Text("--not-index", options.input.columns.not_indexed, "LIST",
               "Attributes not to index: queries of them ask all servers");
  constexpr uint64_t kMostServers = 256;
  AddNumber(command, "--servers", 1, kMostServers, "N",
            fmt::format("Region servers, each a database (default {})", options.num_servers),
            [&options](uint64_t number) { options.num_servers = static_cast<uint32_t>(number); });
  AddNumber(command, "--regions", 1, index::kMaxRegions, "N",
            "Ranges of keys, cut so that each has as many rows (default: 4 per server)",
            [&options](uint64_t number) { options.num_regions = static_cast<uint32_t>(number); });
  command
      .Parsed("--structure", "NAME",
              "Of the directory: transposed, a filter per region; server-filters, one per server "
              "(default transposed)",
              [&options](const std::string& name) {
                const bool is_transposed = name == StructureName(index::Structure::kTransposed);
                options.structure = is_transposed ? index::Structure::kTransposed
                                                  : index::Structure::kServerFilters;
                return Ok();
              })
      .OneOf({std::string(StructureName(index::Structure::kTransposed)),
              std::string(StructureName(index::Structure::kServerFilters))});
  AddRate(command, "--rate", options.target_fpr,
          fmt::format("False-positive rate of a filter when it is full (default {:g})",
                      options.target_fpr));
  AddNumber(command, "--versions", 1, index::kMaxVersions, "N",
            "Versions of a row that can be read: it has the values of all (default 1)",
            [&options](uint64_t number) { options.max_versions = static_cast<uint32_t>(number); });
}

}  // namespace

void AddTableLoad(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "load",
      "Make a table from a tab-separated file\n"
      "The file's first line names the columns. A regular file is read twice, and nothing is\n"
      "written if a row of it is wrong; of a pipe, all rows before the wrong one's batch are.\n"
      "Ctrl-C stops behind a batch and says how many rows are in.");
  auto options = std::make_shared<LoadOptions>();
  AddTable(command, options->table);
  command.Text("FILE", options->input.path, "", "Tab-separated rows; -: standard input").Required();
  command.Flag("--append", options->append, "Add the rows to a table that there is (needs --key)");
  AddTableInput(command, options->input);
  command.Find("--key").Help(
      "Columns whose cells, with commas between, are the row's key (default: the row's number as 8 "
      "hex digits)");
  AddNewTableOptions(command, *options);
  AddTableSync(command, options->table);
  command.SetAction([&settings, options, command] {
    options->input.quiet = settings.quiet;
    if (!options->append) return LoadNew(*options, settings);
    for (const char* const name : kOfNewTables) {
      if (command.IsGiven(name)) throw UsageError{name, "not with --append"};
    }
    if (options->input.columns.key.empty()) throw UsageError{"--append", "needs --key"};
    return Append(*options, settings);
  });
}

}  // namespace trommel::tool
