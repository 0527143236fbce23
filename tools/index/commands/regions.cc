// trommel-index regions, split and merge: how the table is cut.
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/commands/table_commands.h"
#include "tools/index/rows/table_columns.h"
#include "tools/index/table/end_change.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct SplitOptions {
  TableOptions table;
  uint32_t region_id = 0;
  std::optional<std::string> key;
};

struct MergeOptions {
  TableOptions table;
  uint32_t region_id = 0;
  uint32_t other_id = 0;
};

int ListRegions(const Settings& settings, const index::Cluster& table) {
  const std::vector<index::RegionLoad> loads = table.GetRegionLoads();
  const index::Schema& schema = table.config().schema;
  Report report;
  Json list = Json::Array();
  report.AddLine(
      fmt::format("{:>6}  {:>6}  {:>9}  {:>9}  {}", "region", "server", "bytes", "writes", "keys"));
  for (const index::RegionLoad& load : loads) {
    const index::Region& region = load.region;
    report.AddLine(fmt::format("{:>6}  {:>6}  {:>9}  {:>9}  {}", region.id, region.server,
                               FormatBytes(load.num_bytes), FormatCount(load.num_writes),
                               RangeText(schema, region.range)));
    list.Append(Json{{"region", region.id},
                     {"server", region.server},
                     {"begin", KeyText(schema, region.range.begin)},
                     {"end", KeyText(schema, region.range.end)},
                     {"num_bytes", load.num_bytes},
                     {"num_writes", load.num_writes},
                     {"writes_per_second", load.writes_per_second}});
  }
  report.AddField("num_regions", loads.size());
  report.AddField("regions", std::move(list));
  return Finish(report, settings.json, kDone);
}

int Split(const SplitOptions& options, const Settings& settings, index::Cluster& table) {
  const index::Schema& schema = table.config().schema;
  std::optional<std::string> first_key;
  if (options.key) {
    Result<std::string> parsed = ParseKey(schema, *options.key);
    if (!parsed.ok()) return FailOnRequest(parsed.error());
    first_key = *std::move(parsed);
  }
  ChangeCommand change(table, settings);
  const Result<index::SplitRegions> parts = table.Split(options.region_id, first_key);
  if (!parts.ok()) return FailOnRequest(parts.error());
  const std::optional<index::RegionLoad> low = FindRegion(table, parts->low_id);
  const std::optional<index::RegionLoad> high = FindRegion(table, parts->high_id);
  const std::string key = KeyText(schema, high ? high->region.range.begin : first_key.value_or(""));
  const std::string done =
      fmt::format("region {} split at {} into {} (keys before it) and {}", options.region_id,
                  Quoted(key), parts->low_id, parts->high_id);
  Report& report = change.report();
  report.AddLine(done);
  report.AddField("region", options.region_id);
  report.AddField("key", key);
  report.AddField("low_region", parts->low_id);
  report.AddField("high_region", parts->high_id);
  if (low && high) {
    report.Add(
        "low_bytes", low->num_bytes, "bytes",
        fmt::format("about {} and {}", FormatBytes(low->num_bytes), FormatBytes(high->num_bytes)));
    report.AddField("high_bytes", high->num_bytes);
  }
  return change.End(done);
}

int Merge(const MergeOptions& options, const Settings& settings, index::Cluster& table) {
  ChangeCommand change(table, settings);
  const Result<uint32_t> merged = table.Merge(options.region_id, options.other_id);
  if (!merged.ok()) return FailOnRequest(merged.error());
  const std::string done =
      fmt::format("regions {} and {} merged into {}", options.region_id, options.other_id, *merged);
  Report& report = change.report();
  report.AddLine(done);
  report.AddField("regions", Json::Array(std::array{options.region_id, options.other_id}));
  report.AddField("merged_region", *merged);
  if (const std::optional<index::RegionLoad> region = FindRegion(table, *merged)) {
    report.Add("num_bytes", region->num_bytes, "bytes", "about " + FormatBytes(region->num_bytes));
  }
  return change.End(done);
}

}  // namespace

void AddTableRegions(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "regions",
      "List the regions: number, server, keys, bytes and writes\n"
      "Bytes are estimates of the databases. Writes are the rows that were changed since the "
      "table\n"
      "was opened, which is done by each command: they count in programs that keep it open.");
  auto options = std::make_shared<TableOptions>();
  AddTable(command, *options);
  command.SetAction([&settings, options] {
    return WithTable(*options,
                     [&](const index::Cluster& table) { return ListRegions(settings, table); });
  });
}

void AddTableSplit(Command& parent, const Settings& settings) {
  Command command =
      parent.AddSubcommand("split",
                           "Split a region in two\n"
                           "No row moves. The columns of both parts are built again. Ctrl-C leaves "
                           "columns that are not\n"
                           "built: queries find all rows, and ask more regions until they are.");
  auto options = std::make_shared<SplitOptions>();
  AddTable(command, options->table);
  AddRegion(command, "REGION", options->region_id, "The region's number (trommel-index regions)");
  command.Text("--key", options->key, "KEY",
               "The first key of the upper part (default: one in the middle of the rows)");
  SetTableAction(command, settings, options, Split);
}

void AddTableMerge(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand("merge",
                                         "Merge two neighbouring regions of one server\n"
                                         "No row moves. The columns are built again. Ctrl-C leaves "
                                         "columns that are not built: queries\n"
                                         "find all rows, and ask more regions until they are.");
  auto options = std::make_shared<MergeOptions>();
  AddTable(command, options->table);
  AddRegion(command, "REGION", options->region_id, "The region's number (trommel-index regions)");
  AddRegion(command, "OTHER", options->other_id, "Its neighbour's number");
  SetTableAction(command, settings, options, Merge);
}

}  // namespace trommel::tool
