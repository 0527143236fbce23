#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "bench/html/html_report.h"
#include "bench/paper/report/report.h"
#include "trommel/version.h"

namespace trommel::paper {
namespace {

using bench::CellKind;
using bench::HtmlCell;
using bench::HtmlChart;
using bench::HtmlLine;
using bench::HtmlReport;
using bench::HtmlSection;
using bench::HtmlTable;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

CellKind KindOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAgrees:
    case Verdict::kAsModelled:
    case Verdict::kSoundForm:
      return CellKind::kGood;
    case Verdict::kShown:
      return CellKind::kPlain;
    default:
      return CellKind::kBad;
  }
}

// What all figures of a row are divided by, where rows differ by powers of ten.
double UnitOf(const Row& row, Axis axis) {
  if (axis == Axis::kLinear) return 1;
  for (const auto& figure : {row.exact, row.formula, row.measured, row.paper}) {
    if (figure && *figure > 0) return *figure;
  }
  return kNone;
}

// A mark for each figure of each row: the source's, its formula's, the model's, and what was
// measured, with the range that chance allows around the model.
HtmlChart ChartOfRows(const Table& table) {
  const bool is_ratio = table.axis == Axis::kRatio;
  HtmlChart chart{.title = table.title,
                  .text = is_ratio ? "All figures of a row divided by its exact model: the source "
                                     "agrees where its mark is at 1."
                                   : "",
                  .x_name = "row",
                  .y_name = is_ratio ? "figure / exact model" : "figure",
                  .log_y = is_ratio};
  HtmlLine paper{.name = "source", .is_points = true};
  HtmlLine formula{.name = "its formula", .is_points = true};
  HtmlLine exact{.name = "exact model", .is_points = true};
  HtmlLine measured{.name = "measured", .is_points = true};
  HtmlLine instead{.name = table.instead, .is_points = true};
  std::vector<std::string> names;
  for (const Row& row : table.rows) {
    const double unit = UnitOf(row, table.axis);
    const auto place = [&](const std::optional<double>& figure) {
      const double at = figure ? *figure / unit : kNone;
      return is_ratio && !(at > 0) ? kNone : at;  // powers of ten have no zero
    };
    names.push_back(row.what);
    paper.y.push_back(place(row.paper));
    formula.y.push_back(place(row.formula));
    exact.y.push_back(place(row.exact));
    exact.low.push_back(row.allowed ? place(row.allowed->low) : kNone);
    exact.high.push_back(row.allowed ? place(row.allowed->high) : kNone);
    measured.y.push_back(place(row.measured));
    instead.y.push_back(place(row.instead));
  }
  bench::SetLabels(chart, std::move(names));
  for (HtmlLine* line : {&paper, &formula, &exact, &measured, &instead}) {
    const bool has_figures = std::ranges::any_of(line->y, [](double y) { return !std::isnan(y); });
    if (has_figures) chart.lines.push_back(std::move(*line));
  }
  return chart;
}

HtmlTable TableOfRows(const Table& table) {
  HtmlTable html{.head = {"", "source", "its formula", "exact model", "measured"}};
  if (!table.instead.empty()) html.head.push_back(table.instead);
  html.head.insert(html.head.end(), {"verdict", ""});
  for (const Row& row : table.rows) {
    std::vector<HtmlCell> cells = {{row.what},
                                   {FigureText(row.paper, row.unit)},
                                   {FigureText(row.formula, row.unit)},
                                   {FigureText(row.exact, row.unit)},
                                   {FigureText(row.measured, row.unit, row.measured_at_most)}};
    if (!table.instead.empty()) cells.push_back({FigureText(row.instead, row.unit)});
    const Verdict verdict = Judge(row);
    cells.push_back({std::string(VerdictName(verdict)), KindOf(verdict)});
    cells.push_back({row.note});
    html.rows.push_back(std::move(cells));
  }
  return html;
}

// Solid: measured. Dashed: the exact model. Marks: the source's points.
HtmlChart FigureChart(const Chart& chart) {
  HtmlChart html{.x_name = chart.x_name,
                 .y_name = chart.y_name,
                 .unit = chart.unit == Unit::kNs      ? "ns"
                         : chart.unit == Unit::kShare ? "%"
                                                      : "",
                 .x = chart.x,
                 .log_x = chart.log_x,
                 .log_y = chart.least_y > 0};
  const auto add = [&](HtmlLine line, const std::vector<double>& figures) {
    for (const double y : figures) {
      const double figure = chart.unit == Unit::kShare ? 100 * y : y;
      line.y.push_back(html.log_y && !(figure > 0) ? kNone : figure);
    }
    if (!figures.empty()) html.lines.push_back(std::move(line));
  };
  for (const Line& line : chart.lines) add({.name = line.name}, line.y);
  for (size_t i = 0; i < chart.lines.size(); ++i) {
    const Line& line = chart.lines[i];
    add({.name = line.name + ": exact model", .is_dashed = true, .colour_of = i}, line.exact);
    add({.name = line.name + ": source", .is_points = true, .colour_of = i}, line.paper);
  }
  return html;
}

}  // namespace

std::string ReportHtml(const Report& report, const std::string& command) {
  HtmlReport html{.title = report.name, .subtitle = report.source, .command = command};
  size_t num_of_source = 0;
  size_t num_bad = 0;
  for (const Table& table : report.tables) {
    HtmlSection section{.title = table.title, .text = table.text};
    const auto figure = std::ranges::find(report.charts, table.title, &Chart::title);
    HtmlChart chart = figure != report.charts.end() ? FigureChart(*figure) : ChartOfRows(table);
    chart.title.clear();  // the section's
    if (!chart.lines.empty()) section.charts.push_back(std::move(chart));
    section.tables.push_back(TableOfRows(table));
    html.sections.push_back(std::move(section));
    for (const Row& row : table.rows) {
      num_of_source += row.paper.has_value();
      num_bad += row.paper && KindOf(Judge(row)) == CellKind::kBad;
    }
  }
  for (const Chart& chart : report.charts) {
    if (std::ranges::find(report.tables, chart.title, &Table::title) != report.tables.end())
      continue;
    html.sections.push_back({.title = chart.title, .charts = {FigureChart(chart)}});
  }
  if (num_of_source > 0) {
    html.findings.push_back(std::to_string(num_of_source) + " figures of the source are below; " +
                            std::to_string(num_bad) + " of them do not hold as printed.");
  }
  if (IsContradicted(report)) {
    html.findings.emplace_back("A measurement contradicts the exact model: the mistake is ours.");
  }
  html.card = {{"Trommel", std::string(LinkedVersion())}};
  return bench::HtmlText(html);
}

}  // namespace trommel::paper
