// trommel-index stats: what a table is made of, and what its directory costs.
#include "tools/index/commands/stats.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/index/commands/table_commands.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"
#include "trommel/index/metrics.h"

namespace trommel::tool {
namespace {

std::string_view StateName(index::AttributeState state) {
  switch (state) {
    case index::AttributeState::kIndexed:
      return "indexed";
    case index::AttributeState::kBuilding:
      return "building";
    case index::AttributeState::kDropping:
      return "dropping";
    case index::AttributeState::kNone:
      break;
  }
  return "none";
}

// In place of an attribute's figures.
std::string_view StateText(index::AttributeState state) {
  switch (state) {
    case index::AttributeState::kBuilding:
      return "its index is being made";
    case index::AttributeState::kDropping:
      return "its index is being removed";
    case index::AttributeState::kIndexed:
    case index::AttributeState::kNone:
      break;
  }
  return "no index";
}

double BitsPerPair(const index::AttributeStats& stats) {
  if (stats.num_pairs == 0) return 0;
  return 8 * static_cast<double>(stats.num_bytes) / static_cast<double>(stats.num_pairs);
}

void DescribeServers(const index::ClusterStats& stats, Report& report) {
  index::ServerStats sum;
  Json servers = Json::Array();
  for (const index::ServerStats& server : stats.servers) {
    sum.num_rows += server.num_rows;
    sum.num_entries += server.num_entries;
    sum.disk_bytes += server.disk_bytes;
    sum.memory_bytes += server.memory_bytes;
    servers.Append(Json{{"is_stopped", server.is_stopped},
                        {"num_regions", server.num_regions},
                        {"num_rows", server.num_rows},
                        {"num_entries", server.num_entries},
                        {"disk_bytes", server.disk_bytes},
                        {"memory_bytes", server.memory_bytes},
                        {"num_lookups", server.num_lookups}});
  }
  report.Add("num_servers", stats.servers.size(), "servers", FormatCount(stats.servers.size()));
  report.Add("num_regions", stats.directory.num_regions, "regions",
             FormatCount(stats.directory.num_regions));
  report.Add("num_rows", sum.num_rows, "rows", "about " + FormatCount(sum.num_rows));
  report.Add("num_entries", sum.num_entries, "index entries",
             "about " + FormatCount(sum.num_entries));
  report.Add("disk_bytes", sum.disk_bytes, "disk", FormatBytes(sum.disk_bytes));
  report.Add("memory_bytes", sum.memory_bytes, "memory of databases",
             FormatBytes(sum.memory_bytes));
  report.AddField("servers", std::move(servers));
}

void DescribeAttributes(const index::Schema& schema, const index::ServerIndexStats& stats,
                        Report& report) {
  size_t width = std::string_view("attribute").size();
  for (const index::Attribute& attribute : schema.attributes) {
    width = std::max(width, attribute.name.size());
  }
  report.AddLine("");
  report.AddLine(fmt::format("{:<{}}  {:>9}  {:>10}  {:>8}  {:>9}  {:>9}  {:>8}", "attribute",
                             width, "pairs", "per region", "bits per", "bytes", "false",
                             "regions"));
  report.AddLine(fmt::format("{:<{}}  {:>9}  {:>10}  {:>8}  {:>9}  {:>9}  {:>8}", "", width, "",
                             "at most", "pair", "", "regions", "unbuilt"));
  Json list = Json::Array();
  for (size_t i = 0; i < schema.attributes.size(); ++i) {
    const std::string& name = schema.attributes[i].name;
    const index::AttributeStats& of = stats.attributes[i];
    list.Append(Json{{"name", name},
                     {"state", StateName(of.state)},
                     {"num_pairs", of.num_pairs},
                     {"pairs_per_region", of.pairs_per_region},
                     {"largest_column", of.largest_column},
                     {"bits_per_pair", BitsPerPair(of)},
                     {"num_bytes", of.num_bytes},
                     {"predicted_false_regions", of.predicted_false_regions},
                     {"num_unbuilt", of.num_unbuilt},
                     {"is_growing", of.is_growing},
                     {"next_pairs_per_region", of.next_pairs_per_region},
                     {"next_num_unbuilt", of.next_num_unbuilt}});
    if (of.state != index::AttributeState::kIndexed) {
      report.AddLine(fmt::format("{:<{}}  {}", name, width, StateText(of.state)));
      continue;
    }
    const std::string bits = of.num_pairs == 0 ? "-" : fmt::format("{:.1f}", BitsPerPair(of));
    report.AddLine(fmt::format("{:<{}}  {:>9}  {:>10}  {:>8}  {:>9}  {:>9.3f}  {:>8}", name, width,
                               FormatCount(of.num_pairs), FormatCount(of.pairs_per_region), bits,
                               FormatBytes(of.num_bytes), of.predicted_false_regions,
                               FormatCount(of.num_unbuilt)));
  }
  report.AddField("attributes", std::move(list));
}

double PerQuery(uint64_t count, const index::QueryTotals& queries) {
  if (queries.num_queries == 0) return 0;
  return static_cast<double>(count) / static_cast<double>(queries.num_queries);
}

std::string MillisecondsText(double seconds) { return fmt::format("{:.3f} ms", 1000 * seconds); }

void DescribeLost(const index::ClusterStats& stats, Report& report) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < stats.servers.size(); ++i) {
    if (stats.servers[i].is_stopped) numbers.push_back(i);
  }
  report.Add("stopped_servers", Json::Array(numbers), numbers.empty() ? "" : "SERVERS STOPPED",
             fmt::format("{}", fmt::join(numbers, ", ")));
}

void DescribeWork(const index::ClusterStats& stats, Report& report) {
  uint64_t num_unbuilt = 0;
  uint64_t num_building = 0;
  uint64_t num_dropping = 0;
  uint64_t num_growing = 0;
  for (const index::AttributeStats& of : stats.directory.attributes) {
    num_building += of.state == index::AttributeState::kBuilding ? 1 : 0;
    num_dropping += of.state == index::AttributeState::kDropping ? 1 : 0;
    num_growing += of.is_growing ? 1 : 0;
    if (of.state == index::AttributeState::kIndexed) num_unbuilt += of.num_unbuilt;
  }
  report.AddUnlessZero("num_unbuilt", num_unbuilt, "columns not built");
  report.AddUnlessZero("num_columns_waiting", stats.num_columns_waiting, "columns for builders");
  report.AddUnlessZero("num_growing", num_growing, "structures that grow");
  report.AddUnlessZero("num_building", num_building, "indexes being made");
  report.AddUnlessZero("num_dropping", num_dropping, "indexes being removed");
  report.AddUnlessZero("num_leftovers", stats.num_leftovers, "copies to be removed");
  report.AddUnlessZero("num_retired_columns", stats.directory.num_retired_columns,
                       "columns to be freed");
  report.AddUnlessZero("num_refused_pairs", stats.directory.num_refused_pairs, "PAIRS REFUSED");
}

void DescribeQueries(const index::QueryTotals& of, Report& report) {
  report.AddUnlessZero("num_queries", of.num_queries, "queries");
  report.AddField("num_candidates", of.num_candidates);
  report.AddField("num_unbuilt_candidates", of.num_unbuilt);
  report.AddField("num_false_regions", of.num_false);
  report.AddField("false_regions_per_query", PerQuery(of.num_false, of));
  if (of.num_queries > 0) {
    report.AddLine(fmt::format(
        "regions asked per query: {:.3f}; of them {:.3f} without a row, {:.3f} not built",
        PerQuery(of.num_candidates, of), PerQuery(of.num_false, of), PerQuery(of.num_unbuilt, of)));
  }
  report.AddUnlessZero("num_retries", of.num_retries, "lookups retried");
  report.AddUnlessZero("num_unanswered", of.num_unanswered, "RANGES NOT ANSWERED");
}

void DescribeGates(const index::GateStats& of, Report& report) {
  report.AddUnlessZero("num_gate_waits", of.num_waits, "waits at gates");
  report.AddField("gate_wait_seconds", of.wait_seconds);
  report.AddField("longest_gate_wait_seconds", of.longest_wait);
  if (of.num_waits > 0) {
    report.AddLine(fmt::format("waited at gates: {} in all, at most {}",
                               MillisecondsText(of.wait_seconds),
                               MillisecondsText(of.longest_wait)));
  }
  report.AddUnlessZero("num_switches", of.num_switches, "switches of regions");
  report.AddField("longest_switch_seconds", of.longest_switch);
  if (of.num_switches > 0) {
    report.AddLine("longest switch: " + MillisecondsText(of.longest_switch));
  }
}

}  // namespace

void DescribeOperation(const index::ClusterStats& stats, Report& report) {
  DescribeLost(stats, report);
  DescribeWork(stats, report);
  report.AddUnlessZero("num_splits", stats.num_splits, "regions split");
  report.AddUnlessZero("num_merges", stats.num_merges, "regions merged");
  report.AddUnlessZero("num_moves", stats.num_moves, "regions moved");
  DescribeQueries(stats.queries, report);
  DescribeGates(stats.gates, report);
  const bool has_failed = !stats.last_failure.empty();
  report.Add("last_failure", has_failed ? Json(stats.last_failure) : Json(),
             has_failed ? "LAST FAILURE" : "", stats.last_failure);
}

namespace {

int RunTableStats(const Settings& settings, const index::Cluster& table) {
  const index::ClusterStats stats = table.GetStats();
  const index::ClusterConfig& config = table.config();
  Report report;
  DescribeServers(stats, report);
  const std::string structure(StructureName(config.structure));
  report.Add("directory_bytes", stats.directory.num_bytes, "directory",
             fmt::format("{}, {}, false-positive rate {} when full",
                         FormatBytes(stats.directory.num_bytes), structure,
                         FormatRate(config.target_fpr)));
  report.AddField("structure", structure);
  report.AddField("target_fpr", config.target_fpr);
  report.Add("version", stats.directory.version, "table version",
             FormatCount(stats.directory.version));
  report.Add("max_versions", config.schema.max_versions, "versions of a row",
             fmt::format("at most {}", config.schema.max_versions));
  report.Add("num_columns_loaded", stats.num_columns_loaded, "columns loaded",
             FormatCount(stats.num_columns_loaded));
  DescribeOperation(stats, report);
  DescribeAttributes(config.schema, stats.directory, report);
  return Finish(report, settings.json, kDone);
}

int PrintMetrics(const index::Cluster& table) {
  const std::string text = index::PrometheusText(table.config().schema, table.GetStats());
  const Status printed = WriteText(text, stdout);
  return printed.ok() ? int{kDone} : FailOnInput(printed.error());
}

}  // namespace

void AddTableStats(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "stats",
      "Print sizes, what is left to do, and what each attribute costs in the directory\n"
      "Rows and entries are estimates of the databases. \"False regions\" is the expected\n"
      "number of regions that a query asks for a value that no row has. Counts of queries, waits\n"
      "and switches are of the time since the table was opened, which is done by each command: a\n"
      "program that keeps it open has them from Cluster::GetStats and PrometheusText.");
  struct StatsOptions {
    TableOptions table;
    bool prometheus = false;
  };
  auto options = std::make_shared<StatsOptions>();
  AddTable(command, options->table);
  command.Flag("--prometheus", options->prometheus,
               "Print metrics in Prometheus text format 0.0.4 instead");
  command.SetAction([&settings, options]() -> int {
    if (options->prometheus && settings.json) throw UsageError{"--prometheus", "not with --json"};
    return WithTable(options->table, [&](const index::Cluster& table) {
      return options->prometheus ? PrintMetrics(table) : RunTableStats(settings, table);
    });
  });
}

}  // namespace trommel::tool
