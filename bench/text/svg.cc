#include "bench/text/svg.h"

#include <cmath>
#include <cstddef>

#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 520;
constexpr double kLeft = 80;
constexpr double kTop = 20;
constexpr double kRight = kWidth - 20;
constexpr double kBottom = kHeight - 60;

std::string Text(const std::string& attributes, const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return "<text " + attributes + ">" + escaped + "</text>\n";
}

std::string TextAt(double x, double y, const char* anchor, const std::string& text) {
  return Text(Printed("x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor), text);
}

std::string Line(double x1, double y1, double x2, double y2, const std::string& style) {
  return Printed("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
                 style.c_str());
}

// Where a figure is between the ends of its axis: 0 to 1.
double ShareOf(const SvgAxis& axis, double figure) {
  if (!axis.is_logarithmic) return (figure - axis.least) / (axis.most - axis.least);
  return std::log10(figure / axis.least) / std::log10(axis.most / axis.least);
}

}  // namespace

std::string LineChartSvg(const SvgAxis& x, const SvgAxis& y, const std::vector<SvgCurve>& curves) {
  const auto across = [&x](double figure) { return kLeft + ShareOf(x, figure) * (kRight - kLeft); };
  const auto down = [&y](double figure) { return kBottom - ShareOf(y, figure) * (kBottom - kTop); };
  const std::string grid = "stroke=\"#dddddd\"";
  std::string svg = Printed(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"14\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  for (const double tick : x.ticks) {
    svg += Line(across(tick), kTop, across(tick), kBottom, grid);
    svg += TextAt(across(tick), kBottom + 20, "middle", x.label(tick));
  }
  for (const double tick : y.ticks) {
    svg += Line(kLeft, down(tick), kRight, down(tick), grid);
    svg += TextAt(kLeft - 8, down(tick) + 5, "end", y.label(tick));
  }
  svg += TextAt((kLeft + kRight) / 2, kHeight - 15, "middle", x.name);
  svg += Text(Printed("transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\"",
                      (kTop + kBottom) / 2),
              y.name);
  double legend = kTop;
  for (const SvgCurve& curve : curves) {
    std::string points;
    for (const auto& [point_x, point_y] : curve.points) {
      points += Printed("%.1f,%.1f ", across(point_x), down(point_y));
    }
    svg += "<polyline fill=\"none\" " + curve.style + " points=\"" + points + "\"/>\n";
    if (curve.name.empty()) continue;
    legend += 20;
    svg += Line(kRight - 280, legend - 5, kRight - 244, legend - 5, curve.style);
    svg += TextAt(kRight - 234, legend, "start", curve.name);
  }
  return svg + "</svg>\n";
}

}  // namespace trommel::bench
