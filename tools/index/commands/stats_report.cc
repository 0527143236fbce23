#include "tools/index/commands/stats_report.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "bench/html/html_report.h"
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

}  // namespace trommel::tool
