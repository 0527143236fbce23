// Charts of figures with the range that their repetitions had.
#ifndef TROMMEL_BENCH_HTML_RANGE_CHART_H_
#define TROMMEL_BENCH_HTML_RANGE_CHART_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/html/html_report.h"

namespace trommel::bench {

struct FigureRange {
  double middle = 0, low = 0, high = 0;
};

// The median of the repetitions, and their least and greatest. Requires at least one.
FigureRange RangeOfRepetitions(std::vector<double> repetitions);

// The range of over / under: of the medians, and the least and greatest that the repetitions allow.
FigureRange RatioOf(const FigureRange& over, const FigureRange& under);

// Lines that share a chart: each has a figure at some values of x.
class RangeLines {
 public:
  void Add(const std::string& line, double x, const FigureRange& figure);
  // A figure without repetitions: a ceiling or a model, drawn dashed.
  void AddBound(const std::string& line, double x, double figure);
  bool empty() const { return lines_.empty(); }

  // Fills x and lines of the chart; y is NaN where a line has no figure.
  void PutInto(HtmlChart& chart) const;

 private:
  struct Line {
    std::string name = {};
    bool is_bound = false;
    std::map<double, FigureRange> figures = {};
  };
  Line& Find(const std::string& name, bool is_bound);

  std::vector<Line> lines_;  // in the order of their first figure
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_HTML_RANGE_CHART_H_
