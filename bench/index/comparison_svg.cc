#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "bench/index/comparison.h"
#include "bench/text/figures.h"
#include "bench/text/svg.h"

namespace trommel::bench {
namespace {

constexpr double kPanelWidth = 470;
constexpr double kPanelHeight = 265;
constexpr double kMargin = 20;
constexpr double kTitle = 84;  // title and legend
constexpr double kBar = 17;
constexpr double kGap = 20;
constexpr double kBarsTop = 60;
constexpr double kBarsBottom = kPanelHeight - 40;

using FigureOf = std::function<double(const WayFigures&)>;

struct Panel {
  const char* title;
  FigureOf figure;
  bool is_logarithmic;
};

std::string ShortNumber(double number) {
  if (std::isnan(number)) return "-";
  if (number >= 9999.5) return Printed("%.0fk", number / 1000);
  return Printed(number >= 99.5 ? "%.0f" : number >= 9.95 ? "%.1f" : "%.2f", number);
}

std::string PanelSvg(const Panel& panel, const Comparison& all, double left, double top) {
  double most = 0;
  for (const KindFigures& kind : all.kinds) {
    for (const WayFigures& way : kind.ways) {
      const double figure = panel.figure(way);
      if (!std::isnan(figure)) most = std::max(most, figure);
    }
  }
  const auto share = [&](double figure) {
    if (std::isnan(figure) || most <= 0) return 0.0;
    if (!panel.is_logarithmic) return figure / most;
    return std::log10(1 + figure) / std::log10(1 + most);
  };
  std::string svg = SvgText(left, top + 18, "font-weight=\"bold\"", panel.title);
  svg += SvgLine(left, top + kBarsBottom, left + kPanelWidth - kMargin, top + kBarsBottom,
                 "stroke=\"#777777\"");
  double x = left + 8;
  for (const KindFigures& kind : all.kinds) {
    svg +=
        SvgText(x + 2 * kBar, top + kBarsBottom + 20, "text-anchor=\"middle\"", NameOf(kind.kind));
    for (size_t way = 0; way < kNumWays; ++way, x += kBar) {
      const double figure = panel.figure(kind.ways[way]);
      const double height = share(figure) * (kBarsBottom - kBarsTop);
      const double y = top + kBarsBottom - height;
      svg += Printed("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                     x, y, kBar - 2, height, kLineColours[way]);
      // Upright, numbers of neighbours would touch.
      svg += Printed(
          "<text font-size=\"10\" transform=\"translate(%.1f %.1f) rotate(-45)\">%s</text>\n",
          x + 8, y - 3, ShortNumber(figure).c_str());
    }
    x += kGap;
  }
  return svg;
}

}  // namespace

std::string ComparisonSvg(const Comparison& all) {
  const Panel panels[] = {
      {"Servers asked without the record, per query",
       [](const WayFigures& way) { return way.ServersWithoutRecord(); }, false},
      {"Random reads: rows read per row returned",
       [](const WayFigures& way) { return way.RowsReadPerRow(); }, false},
      {"RPCs per query", [](const WayFigures& way) { return way.PerQuery(way.num_lookups); },
       false},
      {"Whole query, median us (logarithmic; no network)",
       [](const WayFigures& way) { return Quantile(way.total_us, 0.5); }, true},
  };
  std::string svg =
      SvgText(kMargin, 28, "font-weight=\"bold\" font-size=\"16\"",
              all.table + ": " + Grouped(all.num_rows) + " rows, " + Grouped(all.num_servers) +
                  " servers, " + Grouped(all.num_regions) + " regions");
  for (size_t way = 0; way < kNumWays; ++way) {
    const double x = kMargin + 8 + 150 * static_cast<double>(way);
    svg += Printed("<rect x=\"%.1f\" y=\"46\" width=\"14\" height=\"14\" fill=\"%s\"/>\n", x,
                   kLineColours[way]);
    svg += SvgText(x + 20, 58, "", NameOf(static_cast<Way>(way)));
  }
  for (size_t i = 0; i < std::size(panels); ++i) {
    svg += PanelSvg(panels[i], all, kMargin + kPanelWidth * static_cast<double>(i % 2),
                    kTitle + kPanelHeight * static_cast<double>(i / 2));
  }
  return SvgFile(2 * kPanelWidth + kMargin, kTitle + 2 * kPanelHeight, 13, svg);
}

}  // namespace trommel::bench
