// Line charts as SVG.
#ifndef TROMMEL_BENCH_TEXT_SVG_H_
#define TROMMEL_BENCH_TEXT_SVG_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace trommel::bench {

// Colours of lines: dark enough on white, and told apart by lightness as well (Okabe and Ito's
// palette, and some of Tol's).
inline constexpr const char* kLineColours[] = {"#0072b2", "#d55e00", "#000000", "#009e73",
                                               "#56b4e9", "#cc79a7", "#777777", "#aaaaaa",
                                               "#e69f00", "#882255", "#999933", "#332288"};

struct SvgAxis {
  std::string name;
  double least;
  double most;
  bool is_logarithmic;
  std::vector<double> ticks;                      // where grid lines are
  std::function<std::string(double tick)> label;  // of a grid line
};

struct SvgCurve {
  std::string name;   // in the legend; empty: not there
  std::string style;  // attributes of the line: stroke="#0072b2"
  std::vector<std::pair<double, double>> points;
};

// A whole file, on a white ground; names may hold anything. The legend is in the upper right
// corner.
std::string LineChartSvg(const SvgAxis& x, const SvgAxis& y, const std::vector<SvgCurve>& curves);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TEXT_SVG_H_
