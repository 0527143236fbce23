// Draws a chart as a group of SVG elements: axes with a grid, a line a structure, a legend.
#ifndef TROMMEL_BENCH_PAPER_CHART_SVG_H_
#define TROMMEL_BENCH_PAPER_CHART_SVG_H_

#include <string>

#include "bench/paper/comparison.h"

namespace trommel::paper {

inline constexpr double kChartHeight = 400;

// With its upper left corner at (left, top); 1,140 wide.
std::string ChartSvg(const Chart& chart, double left, double top);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CHART_SVG_H_
