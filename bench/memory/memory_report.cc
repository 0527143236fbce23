#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/html/html_report.h"
#include "bench/memory/memory_figure.h"
#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

constexpr int kStepsOfPagePerDecade = 12;
constexpr double kMostBitsOfPage = 125;  // lines that rise further end here

}  // namespace

std::string MemoryHtml(const std::vector<MemoryCurve>& curves, const RateRange& range,
                       const std::string& command) {
  HtmlReport report{.title = "Memory against false-positive rate",
                    .subtitle =
                        "30 M keys; ours by the model that sizes filters, the others by "
                        "their published formulas. Nothing is measured.",
                    .command = command};
  HtmlChart chart{.text = "Dashed: structures that cannot erase.",
                  .x_name = "false-positive rate, %",
                  .y_name = "memory",
                  .unit = "bits per key",
                  .log_x = true};
  const int num_steps =
      static_cast<int>(std::lround(kStepsOfPagePerDecade * std::log10(range.most / range.least)));
  std::vector<double> rates;
  for (int step = num_steps; step >= 0; --step) {
    const double share = static_cast<double>(step) / num_steps;
    rates.push_back(range.most * std::pow(range.least / range.most, share));
    chart.x.push_back(100 * rates.back());
  }
  HtmlTable sources{.title = "Sources", .head = {"structure", "formula and source", ""}};
  for (const MemoryCurve& curve : curves) {
    HtmlLine line{.name = curve.name, .is_dashed = !curve.counts};
    for (const double rate : rates) {
      const double bits = curve.bits_per_key(rate);
      line.y.push_back(bits <= kMostBitsOfPage ? bits : std::nan(""));
    }
    chart.lines.push_back(std::move(line));
    sources.rows.push_back({{curve.name}, {curve.source}, {curve.counts ? "" : "cannot erase"}});
  }
  report.sections.push_back(
      {.title = "Bits per key", .charts = {std::move(chart)}, .tables = {std::move(sources)}});

  HtmlTable shapes{.title = "Shapes that runs could have", .head = {"shape"}};
  constexpr double kRates[] = {0.1, 0.01, 0.004, 0.001, 0.0001};
  for (const double rate : kRates) shapes.head.push_back(Printed("at %g %%", 100 * rate));
  for (const RunShape& shape : RunShapes()) {
    std::vector<HtmlCell> row = {{Printed("%u x %u, strings of %u, %u bytes", shape.num_slices,
                                          shape.positions, shape.string_bits, shape.block_bytes)}};
    for (const double rate : kRates) row.push_back({Printed("%.2f", ShapeBitsPerKey(shape, rate))});
    shapes.rows.push_back(std::move(row));
  }
  report.sections.push_back({.title = "Runs", .tables = {std::move(shapes)}});
  return HtmlText(report);
}

}  // namespace trommel::bench
