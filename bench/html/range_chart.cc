#include "bench/html/range_chart.h"

#include <algorithm>
#include <limits>
#include <set>

namespace trommel::bench {

FigureRange RangeOfRepetitions(std::vector<double> repetitions) {
  std::ranges::sort(repetitions);
  return {repetitions[repetitions.size() / 2], repetitions.front(), repetitions.back()};
}

FigureRange RatioOf(const FigureRange& over, const FigureRange& under) {
  return {over.middle / under.middle, over.low / under.high, over.high / under.low};
}

RangeLines::Line& RangeLines::Find(const std::string& name, bool is_bound) {
  for (Line& line : lines_) {
    if (line.name == name) return line;
  }
  return lines_.emplace_back(Line{.name = name, .is_bound = is_bound});
}

void RangeLines::Add(const std::string& line, double x, const FigureRange& figure) {
  Find(line, false).figures[x] = figure;
}

void RangeLines::AddBound(const std::string& line, double x, double figure) {
  Find(line, true).figures[x] = {figure, figure, figure};
}

void RangeLines::PutInto(HtmlChart& chart) const {
  std::set<double> all;
  for (const Line& line : lines_) {
    for (const auto& [x, figure] : line.figures) all.insert(x);
  }
  chart.x.assign(all.begin(), all.end());
  for (const Line& line : lines_) {
    HtmlLine drawn{.name = line.name, .is_dashed = line.is_bound};
    for (const double x : chart.x) {
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      const auto found = line.figures.find(x);
      const FigureRange figure =
          found == line.figures.end() ? FigureRange{kNone, kNone, kNone} : found->second;
      drawn.y.push_back(figure.middle);
      if (line.is_bound) continue;
      drawn.low.push_back(figure.low);
      drawn.high.push_back(figure.high);
    }
    chart.lines.push_back(std::move(drawn));
  }
}

}  // namespace trommel::bench
