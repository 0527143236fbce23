#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/html/html_report.h"
#include "bench/index/comparison.h"
#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

struct Cost {
  const char* title;
  const char* text;
  const char* unit;
  std::function<double(const WayFigures&)> figure;
  bool is_log;
};

std::vector<std::string> KindNames(const Comparison& all) {
  std::vector<std::string> names;
  for (const KindFigures& kind : all.kinds) names.emplace_back(NameOf(kind.kind));
  return names;
}

// A mark for each way and kind of query.
HtmlChart CostChart(const Comparison& all, const Cost& cost) {
  HtmlChart chart{.title = cost.title,
                  .text = cost.text,
                  .x_name = "queries",
                  .y_name = "per query",
                  .unit = cost.unit,
                  .log_y = cost.is_log};
  SetLabels(chart, KindNames(all));
  for (size_t way = 0; way < kNumWays; ++way) {
    HtmlLine line{.name = NameOf(static_cast<Way>(way)), .is_points = true};
    for (const KindFigures& kind : all.kinds) line.y.push_back(cost.figure(kind.ways[way]));
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

// Whole queries: the median, and the middle half as its range.
HtmlChart TimeChart(const Comparison& all) {
  HtmlChart chart{.title = "Whole query, median",
                  .text =
                      "In one process, without a network. The range holds the middle half of "
                      "the queries.",
                  .x_name = "queries",
                  .y_name = "time",
                  .unit = "us",
                  .log_y = true};
  SetLabels(chart, KindNames(all));
  for (size_t way = 0; way < kNumWays; ++way) {
    HtmlLine line{.name = NameOf(static_cast<Way>(way)), .is_points = true};
    for (const KindFigures& kind : all.kinds) {
      const Figures& times = kind.ways[way].total_us;
      line.y.push_back(Quantile(times, 0.5));
      line.low.push_back(Quantile(times, 0.25));
      line.high.push_back(Quantile(times, 0.75));
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

HtmlChart WriteChart(const Comparison& all) {
  HtmlChart chart{.title = "What a write costs",
                  .text =
                      "Per row, median over slabs, with their range. Each side does all that "
                      "the sides before it do, except that the two structures keep no exact map.",
                  .x_name = "side",
                  .y_name = "time per row",
                  .unit = "us",
                  .log_y = true};
  std::vector<std::string> names;
  for (size_t side = 0; side < kNumWriteSides; ++side) {
    names.emplace_back(NameOf(static_cast<WriteSide>(side)));
  }
  SetLabels(chart, std::move(names));
  for (const auto& [name, figures] :
       {std::pair<const char*, const WriteFigures*>{"load", &all.load.rows},
        {"change of one attribute", &all.updates},
        {"delete", &all.deletes}}) {
    HtmlLine line{.name = name, .is_points = true};
    for (const Figures& slabs : *figures) {
      const auto [least, most] = std::ranges::minmax_element(slabs);
      line.y.push_back(Median(slabs));
      line.low.push_back(slabs.empty() ? Median(slabs) : *least);
      line.high.push_back(slabs.empty() ? Median(slabs) : *most);
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

HtmlTable MemoryTable(const Comparison& all) {
  HtmlTable table{.title = "Memory of the directory", .head = {"way", "MB"}};
  for (size_t way = 0; way < kNumWays; ++way) {
    table.rows.push_back({{NameOf(static_cast<Way>(way))},
                          {Printed("%.2f", static_cast<double>(all.directory_bytes[way]) / 1e6)}});
  }
  return table;
}

}  // namespace

std::string ComparisonHtml(const Comparison& all) {
  const Cost costs[] = {
      {"Servers asked without the record", "", "",
       [](const WayFigures& way) { return way.ServersWithoutRecord(); }, false},
      {"Rows read per row returned", "", "",
       [](const WayFigures& way) { return way.RowsReadPerRow(); }, false},
      {"RPCs", "", "", [](const WayFigures& way) { return way.PerQuery(way.num_lookups); }, false}};
  HtmlReport report{.title = "Queries by attribute: " + all.table,
                    .subtitle = Grouped(all.num_rows) + " rows, " + Grouped(all.num_attributes) +
                                " indexed attributes, " + Grouped(all.num_servers) + " servers, " +
                                Grouped(all.num_regions) + " regions, " + Grouped(all.num_values) +
                                " values, " + Grouped(all.num_pairs) + " pairs",
                    .command = all.command,
                    .card = {{"machine", all.machine}}};
  HtmlSection queries{.title = "Queries",
                      .text = "The three costs that the source names, and the time."};
  for (const Cost& cost : costs) queries.charts.push_back(CostChart(all, cost));
  queries.charts.push_back(TimeChart(all));
  report.sections.push_back(std::move(queries));
  report.sections.push_back(
      {.title = "Writes and memory", .charts = {WriteChart(all)}, .tables = {MemoryTable(all)}});
  return HtmlText(report);
}

}  // namespace trommel::bench
