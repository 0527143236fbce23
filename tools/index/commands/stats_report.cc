#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/html/html_report.h"
#include "tools/index/commands/stats.h"
#include "tools/trommel/output/number_text.h"
#include "trommel/version.h"

namespace trommel::tool {
namespace {

using bench::HtmlChart;
using bench::HtmlLine;
using bench::HtmlReport;
using bench::HtmlSection;
using bench::HtmlTable;

HtmlSection Servers(const index::ClusterStats& stats) {
  HtmlSection section{.title = "Servers",
                      .text = "Rows and entries of local indexes are the databases' estimates."};
  HtmlChart chart{.title = "Rows and entries", .x_name = "server", .y_name = "number"};
  HtmlLine rows{.name = "rows", .is_points = true};
  HtmlLine entries{.name = "entries of local indexes", .is_points = true};
  HtmlTable table{.head = {"server", "state", "regions", "rows", "entries", "disk", "memory"}};
  std::vector<std::string> names;
  for (size_t i = 0; i < stats.servers.size(); ++i) {
    const index::ServerStats& server = stats.servers[i];
    names.push_back(fmt::format("{}", i));
    rows.y.push_back(static_cast<double>(server.num_rows));
    entries.y.push_back(static_cast<double>(server.num_entries));
    table.rows.push_back({{names.back()},
                          {server.is_stopped ? "stopped" : "running"},
                          {FormatCount(server.num_regions)},
                          {FormatCount(server.num_rows)},
                          {FormatCount(server.num_entries)},
                          {FormatBytes(server.disk_bytes)},
                          {FormatBytes(server.memory_bytes)}});
  }
  bench::SetLabels(chart, std::move(names));
  chart.lines = {std::move(rows), std::move(entries)};
  section.charts.push_back(std::move(chart));
  section.tables.push_back(std::move(table));
  return section;
}

HtmlSection Attributes(const index::ClusterConfig& config, const index::ServerIndexStats& stats) {
  HtmlSection section{.title = "Attributes",
                      .text =
                          "A pair is a value of an attribute and a region that has it. False "
                          "regions are those that a query asks for a value that no row has."};
  HtmlChart pairs{.title = "Pairs in the directory", .x_name = "attribute", .y_name = "pairs"};
  HtmlChart bytes{.title = "Memory in the directory",
                  .x_name = "attribute",
                  .y_name = "memory",
                  .unit = "bytes"};
  HtmlLine num_pairs{.name = "pairs", .is_points = true};
  HtmlLine num_bytes{.name = "bytes", .is_points = true};
  HtmlTable table{.head = {"attribute", "pairs", "per region at most", "bytes", "false regions",
                           "regions unbuilt"}};
  std::vector<std::string> names;
  for (size_t i = 0; i < config.schema.attributes.size(); ++i) {
    const index::AttributeStats& of = stats.attributes[i];
    if (of.state != index::AttributeState::kIndexed) continue;
    names.push_back(config.schema.attributes[i].name);
    num_pairs.y.push_back(static_cast<double>(of.num_pairs));
    num_bytes.y.push_back(static_cast<double>(of.num_bytes));
    table.rows.push_back({{names.back()},
                          {FormatCount(of.num_pairs)},
                          {FormatCount(of.pairs_per_region)},
                          {FormatBytes(of.num_bytes)},
                          {fmt::format("{:.3f}", of.predicted_false_regions)},
                          {FormatCount(of.num_unbuilt)}});
  }
  if (names.empty()) return section;
  bench::SetLabels(pairs, names);
  bench::SetLabels(bytes, std::move(names));
  pairs.lines.push_back(std::move(num_pairs));
  bytes.lines.push_back(std::move(num_bytes));
  section.charts = {std::move(pairs), std::move(bytes)};
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace

std::string TableStatsHtml(const index::ClusterConfig& config, const index::ClusterStats& stats,
                           const std::string& command) {
  HtmlReport report{.title = "A table with a secondary index", .command = command};
  report.findings.push_back(fmt::format(
      "{} regions on {}; the directory takes {}.", FormatCount(stats.directory.num_regions),
      FormatCount(stats.servers.size(), "server"), FormatBytes(stats.directory.num_bytes)));
  report.sections = {Servers(stats), Attributes(config, stats.directory)};
  report.card = {{"Trommel", std::string(LinkedVersion())}};
  return bench::HtmlText(report);
}

namespace {

double PerQuery(uint64_t count, const index::QueryTotals& queries) {
  if (queries.num_queries == 0) return 0;
  return static_cast<double>(count) / static_cast<double>(queries.num_queries);
}

std::string MillisecondsText(double seconds) { return fmt::format("{:.3f} ms", 1000 * seconds); }

void AddCountOf(Report& report, std::string_view name, uint64_t count, std::string_view label) {
  if (count == 0) {
    report.AddField(name, count);
  } else {
    report.Add(name, count, label, FormatCount(count));
  }
}

void DescribeLost(const index::ClusterStats& stats, Report& report) {
  Json list = Json::Array();
  std::string numbers;
  for (size_t i = 0; i < stats.servers.size(); ++i) {
    if (!stats.servers[i].is_stopped) continue;
    list.Append(i);
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(i);
  }
  if (numbers.empty()) {
    report.AddField("stopped_servers", std::move(list));
  } else {
    report.Add("stopped_servers", std::move(list), "SERVERS STOPPED", numbers);
  }
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
  AddCountOf(report, "num_unbuilt", num_unbuilt, "columns not built");
  AddCountOf(report, "num_columns_waiting", stats.num_columns_waiting, "columns for builders");
  AddCountOf(report, "num_growing", num_growing, "structures that grow");
  AddCountOf(report, "num_building", num_building, "indexes being made");
  AddCountOf(report, "num_dropping", num_dropping, "indexes being removed");
  AddCountOf(report, "num_leftovers", stats.num_leftovers, "copies to be removed");
  AddCountOf(report, "num_retired_columns", stats.directory.num_retired_columns,
             "columns to be freed");
  AddCountOf(report, "num_refused_pairs", stats.directory.num_refused_pairs, "PAIRS REFUSED");
}

void DescribeQueries(const index::QueryTotals& of, Report& report) {
  AddCountOf(report, "num_queries", of.num_queries, "queries");
  report.AddField("num_candidates", of.num_candidates);
  report.AddField("num_unbuilt_candidates", of.num_unbuilt);
  report.AddField("num_false_regions", of.num_false);
  report.AddField("false_regions_per_query", PerQuery(of.num_false, of));
  if (of.num_queries > 0) {
    report.AddLine(fmt::format(
        "regions asked per query: {:.3f}; of them {:.3f} without a row, {:.3f} not built",
        PerQuery(of.num_candidates, of), PerQuery(of.num_false, of), PerQuery(of.num_unbuilt, of)));
  }
  AddCountOf(report, "num_retries", of.num_retries, "lookups retried");
  AddCountOf(report, "num_unanswered", of.num_unanswered, "RANGES NOT ANSWERED");
}

void DescribeGates(const index::GateStats& of, Report& report) {
  AddCountOf(report, "num_gate_waits", of.num_waits, "waits at gates");
  report.AddField("gate_wait_seconds", of.wait_seconds);
  report.AddField("longest_gate_wait_seconds", of.longest_wait);
  if (of.num_waits > 0) {
    report.AddLine(fmt::format("waited at gates: {} in all, at most {}",
                               MillisecondsText(of.wait_seconds),
                               MillisecondsText(of.longest_wait)));
  }
  AddCountOf(report, "num_switches", of.num_switches, "switches of regions");
  report.AddField("longest_switch_seconds", of.longest_switch);
  if (of.num_switches > 0) {
    report.AddLine("longest switch: " + MillisecondsText(of.longest_switch));
  }
}

}  // namespace

void DescribeOperation(const index::ClusterStats& stats, Report& report) {
  DescribeLost(stats, report);
  DescribeWork(stats, report);
  AddCountOf(report, "num_splits", stats.num_splits, "regions split");
  AddCountOf(report, "num_merges", stats.num_merges, "regions merged");
  AddCountOf(report, "num_moves", stats.num_moves, "regions moved");
  DescribeQueries(stats.queries, report);
  DescribeGates(stats.gates, report);
  if (stats.last_failure.empty()) {
    report.AddField("last_failure", Json());
  } else {
    report.Add("last_failure", stats.last_failure, "LAST FAILURE", stats.last_failure);
  }
}

}  // namespace trommel::tool
