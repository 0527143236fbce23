// Two runs compared, as one HTML file.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/html/html_report.h"
#include "bench/sweep/sweep_report.h"
#include "bench/text/figures.h"

namespace trommel::bench {

std::string ComparisonHtml(const Comparison& comparison, const std::string& a, const std::string& b,
                           const std::string& command) {
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : comparison.rows) rows.push_back(&row);
  std::ranges::sort(rows, {}, [](const ComparedRow* row) { return row->ratio.median; });
  const auto is_faster = [](const ComparedRow* row) { return row->ratio.max < 1; };
  const auto is_slower = [](const ComparedRow* row) { return row->ratio.min > 1; };
  const auto num_faster = std::ranges::count_if(rows, is_faster);
  const auto num_slower = std::ranges::count_if(rows, is_slower);
  HtmlReport report{.title = "trommel bench: " + b + " against " + a, .command = command};
  report.findings.push_back(
      Printed("%zu rows are in both files. Beyond the noise of the repetitions B is faster in %td "
              "and slower in %td; in the others the files show no difference.",
              rows.size(), num_faster, num_slower));

  HtmlSection section{.title = "B / A",
                      .text =
                          "Below 1 B is faster. The range is what the repetitions allow: where "
                          "it contains 1, there is no difference."};
  HtmlChart chart{.title = "Time of B / time of A",
                  .x_name = "row",
                  .y_name = "B / A",
                  .unit = "times",
                  .log_y = true};
  HtmlLine line{.name = "B / A", .is_points = true};
  std::vector<std::string> names;
  HtmlTable table{.title = "Rows", .head = {"row", "A, ns", "B, ns", "B / A", "least", "most", ""}};
  for (const ComparedRow* row : rows) {
    names.push_back(row->name);
    line.y.push_back(row->ratio.median);
    line.low.push_back(row->ratio.min);
    line.high.push_back(row->ratio.max);
    table.rows.push_back({{row->name},
                          {Printed("%.2f", row->a.median)},
                          {Printed("%.2f", row->b.median)},
                          {Printed("%.3f", row->ratio.median)},
                          {Printed("%.3f", row->ratio.min)},
                          {Printed("%.3f", row->ratio.max)},
                          is_faster(row)   ? HtmlCell{"B is faster", CellKind::kGood}
                          : is_slower(row) ? HtmlCell{"B is slower", CellKind::kBad}
                                           : HtmlCell{"no difference"}});
  }
  SetLabels(chart, std::move(names));
  chart.lines.push_back(std::move(line));
  section.charts.push_back(std::move(chart));
  section.tables.push_back(std::move(table));
  report.sections.push_back(std::move(section));

  HtmlSection cards{.title = "What else differs"};
  HtmlTable fields{.title = "The machines' cards", .head = {"field", "A", "B"}};
  for (const CardDifference& difference : comparison.card) {
    fields.rows.push_back({{difference.field}, {difference.a}, {difference.b}});
  }
  if (!fields.rows.empty()) cards.tables.push_back(std::move(fields));
  for (const auto& [where, only] :
       {std::pair{"A", &comparison.only_a}, {"B", &comparison.only_b}}) {
    HtmlTable missing{.title = std::string("Only in ") + where, .head = {"row"}};
    for (const std::string& name : *only) missing.rows.push_back({{name}});
    if (!missing.rows.empty()) cards.tables.push_back(std::move(missing));
  }
  if (!cards.tables.empty()) report.sections.push_back(std::move(cards));
  return HtmlText(report);
}

}  // namespace trommel::bench
