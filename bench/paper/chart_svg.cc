#include "bench/paper/chart_svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/printed.h"

namespace trommel::paper {
namespace {

using bench::Printed;

constexpr double kPlotLeft = 90;
constexpr double kPlotRight = 820;
constexpr double kPlotTop = 24;
constexpr double kPlotBottom = kChartHeight - 50;
constexpr double kLegendLeft = kPlotRight + 24;
constexpr double kLegendStep = 20;

// Okabe and Ito's palette; after it, the same in dashes.
constexpr const char* kLineColours[] = {"#0072b2", "#d55e00", "#000000", "#009e73",
                                        "#56b4e9", "#cc79a7", "#777777"};
constexpr size_t kNumColours = std::size(kLineColours);

// One axis: figures to pixels.
class AxisScale {
 public:
  AxisScale(double least, double most, bool is_log, double from, double to)
      : least_(Placed(least, is_log)), is_log_(is_log), from_(from), to_(to) {
    most_ = std::max(Placed(most, is_log), least_ + 1e-9);
  }
  double At(double figure) const {
    const double share = (Placed(figure, is_log_) - least_) / (most_ - least_);
    return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
  }

 private:
  static double Placed(double figure, bool is_log) {
    return is_log ? std::log10(std::max(figure, 1e-300)) : figure;
  }
  double least_, most_ = 0;
  bool is_log_;
  double from_, to_;
};

double MostOf(const Chart& chart) {
  double most = chart.least_y;
  for (const Line& line : chart.lines) {
    for (const double y : line.y) {
      if (std::isfinite(y)) most = std::max(most, y);
    }
  }
  return most > 0 ? most : 1;
}

// About five round steps.
double StepOf(double most) {
  const double decade = std::pow(10, std::floor(std::log10(most / 4)));
  const double scaled = most / 4 / decade;
  return decade * (scaled < 2 ? 1 : scaled < 5 ? 2 : 5);
}

std::string Words(double x, double y, const char* anchor, const std::string& words) {
  std::string escaped;
  for (const char c : words) {
    escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return Printed("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) + escaped +
         "</text>\n";
}

std::string GridOfY(const Chart& chart, const AxisScale& scale, double most) {
  std::string svg;
  const auto tick = [&](double figure) {
    const double y = scale.At(figure);
    svg += Printed("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
                   kPlotLeft, y, kPlotRight, y);
    svg += Words(kPlotLeft - 8, y + 4, "end", FigureText(figure, chart.unit));
  };
  if (chart.least_y > 0) {
    const double decades = std::log10(most / chart.least_y);
    const double step = std::pow(10, std::max(1.0, std::ceil(decades / 8)));
    for (double y = chart.least_y; y <= most * 1.001; y *= step) tick(y);
  } else {
    for (double y = 0; y <= most; y += StepOf(most)) tick(y);
  }
  return svg;
}

}  // namespace

std::string ChartSvg(const Chart& chart, double left, double top) {
  double most = MostOf(chart);
  if (chart.least_y > 0) {
    most = std::pow(10, std::ceil(std::log10(most / chart.least_y) - 1e-9)) * chart.least_y;
  }
  const AxisScale x_scale(chart.x.front(), chart.x.back(), chart.log_x, kPlotLeft, kPlotRight);
  const AxisScale y_scale(chart.least_y, most, chart.least_y > 0, kPlotBottom, kPlotTop);
  std::string svg = Printed("<g transform=\"translate(%.1f %.1f)\">\n", left, top);
  svg += "<g font-weight=\"bold\">" + Words(0, 6, "start", chart.title) + "</g>\n";
  svg += GridOfY(chart, y_scale, most);
  for (const double x : chart.x) {
    svg += Printed("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#999999\"/>\n",
                   x_scale.At(x), kPlotBottom, x_scale.At(x), kPlotBottom + 5);
    svg += Words(x_scale.At(x), kPlotBottom + 19, "middle", FigureText(x, Unit::kNumber));
  }
  svg += Words((kPlotLeft + kPlotRight) / 2, kPlotBottom + 38, "middle",
               chart.x_name + "  (up: " + chart.y_name + ")");
  for (size_t i = 0; i < chart.lines.size(); ++i) {
    const Line& line = chart.lines[i];
    const std::string style =
        Printed("fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s", kLineColours[i % kNumColours],
                i < kNumColours ? "" : " stroke-dasharray=\"6 4\"");
    std::string points;
    for (size_t p = 0; p < chart.x.size(); ++p) {
      if (!std::isfinite(line.y[p])) continue;
      points += Printed("%.1f,%.1f ", x_scale.At(chart.x[p]), y_scale.At(line.y[p]));
    }
    svg += "<polyline " + style + " points=\"" + points + "\"/>\n";
    const double y = kPlotTop + 10 + kLegendStep * static_cast<double>(i);
    svg += Printed("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" ", kLegendLeft, y - 4,
                   kLegendLeft + 30, y - 4) +
           style + "/>\n" + Words(kLegendLeft + 38, y, "start", line.name);
  }
  return svg + "</g>\n";
}

}  // namespace trommel::paper
