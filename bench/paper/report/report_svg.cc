#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/paper/report/writers.h"
#include "bench/text/figures.h"
#include "bench/text/svg.h"

namespace trommel::paper {
namespace {

using bench::kLineColours;
using bench::Printed;
using bench::SvgFile;
using bench::SvgLine;
using bench::SvgText;

constexpr double kWidth = 1180;
constexpr double kStripLeft = 430;
constexpr double kStripRight = 940;
constexpr double kVerdictLeft = 970;
constexpr double kRowHeight = 22;
constexpr double kHead = 96;  // title and legend
constexpr size_t kMostLetters = 62;
constexpr double kLeastRatio = 1e-20;  // smaller ratios are drawn at the edge

constexpr const char* kPaperColour = "#d55e00";
constexpr const char* kFormulaColour = "#777777";
constexpr const char* kExactColour = "#000000";
constexpr const char* kMeasuredColour = "#0072b2";
constexpr const char* kInsteadColour = "#009e73";

const char* VerdictColour(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAgrees:
    case Verdict::kAsModelled:
      return "#00704f";
    case Verdict::kSoundForm:
      return "#0072b2";
    case Verdict::kSilent:
    case Verdict::kShown:
      return "#555555";
    default:
      return "#b03a00";
  }
}

// The place of a figure of this row on the axis, before it is scaled to the strip.
std::optional<double> Place(const Row& row, Axis axis, std::optional<double> figure) {
  if (!figure || axis == Axis::kLinear) return figure;
  const std::optional<double> one = row.exact     ? row.exact
                                    : row.formula ? row.formula
                                                  : row.measured;
  if (!one || *one <= 0 || *figure < 0) return std::nullopt;
  return std::log10(std::max(*figure / *one, kLeastRatio));
}

struct Scale {
  double least = 0;
  double most = 0;
  double X(double place) const {
    return kStripLeft + (place - least) / (most - least) * (kStripRight - kStripLeft);
  }
};

Scale ScaleOf(const Table& table) {
  Scale scale;  // always includes 0: the ratio 1
  for (const Row& row : table.rows) {
    for (const auto& figure : {row.paper, row.formula, row.exact, row.measured, row.instead}) {
      if (const auto place = Place(row, table.axis, figure)) {
        scale.least = std::min(scale.least, *place);
        scale.most = std::max(scale.most, *place);
      }
    }
  }
  const double margin = std::max(0.04 * (scale.most - scale.least), 1e-3);
  return {scale.least - margin, scale.most + margin};
}

enum class Mark { kDiamond, kSquare, kTick, kDot, kTriangle };

std::string MarkSvg(Mark mark, double x, double y) {
  switch (mark) {
    case Mark::kDiamond:
      return Printed(
          "<path d=\"M%.1f %.1fl6 6l-6 6l-6 -6z\" fill=\"none\" stroke=\"%s\" "
          "stroke-width=\"2\"/>\n",
          x, y - 6, kPaperColour);
    case Mark::kSquare:
      return Printed("<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" fill=\"%s\"/>\n",
                     x - 3.5, y - 3.5, kFormulaColour);
    case Mark::kTick:
      return Printed(
          "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
          "stroke-width=\"2.5\"/>\n",
          x, y - 9, x, y + 9, kExactColour);
    case Mark::kDot:
      return Printed("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x, y,
                     kMeasuredColour);
    case Mark::kTriangle:
      return Printed("<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"%s\"/>\n", x - 5,
                     y + 4, x + 5, y + 4, x, y - 5, kInsteadColour);
  }
  return "";
}

std::string RowSvg(const Row& row, Axis axis, const Scale& scale, double y) {
  std::string label = row.what;
  if (label.size() > kMostLetters) label = label.substr(0, kMostLetters - 3) + "...";
  std::string svg = SvgText(kStripLeft - 14, y + 4, "text-anchor=\"end\"", label);
  svg += SvgLine(kStripLeft, y, kStripRight, y, "stroke=\"#dddddd\"");
  const auto draw = [&](std::optional<double> figure, Mark mark) {
    if (const auto place = Place(row, axis, figure)) svg += MarkSvg(mark, scale.X(*place), y);
  };
  draw(row.exact, Mark::kTick);
  draw(row.formula, Mark::kSquare);
  draw(row.measured, Mark::kDot);
  draw(row.instead, Mark::kTriangle);
  draw(row.paper, Mark::kDiamond);
  const Verdict verdict = Judge(row);
  return svg + SvgText(kVerdictLeft, y + 4, Printed("fill=\"%s\"", VerdictColour(verdict)),
                       std::string(VerdictName(verdict)));
}

std::string Legend(double y, const std::string& instead) {
  std::string svg;
  double x = kStripLeft;
  const std::pair<Mark, const char*> marks[] = {{Mark::kDiamond, "paper"},
                                                {Mark::kSquare, "formula"},
                                                {Mark::kTick, "exact model"},
                                                {Mark::kDot, "measured"}};
  for (const auto& [mark, name] : marks) {
    svg += MarkSvg(mark, x, y) + SvgText(x + 12, y + 4, "", name);
    x += 125;
  }
  if (!instead.empty()) svg += MarkSvg(Mark::kTriangle, x, y) + SvgText(x + 12, y + 4, "", instead);
  return svg;
}

}  // namespace

std::string ReportSvg(const Report& report) {
  std::string instead;
  for (const Table& table : report.tables) {
    if (instead.empty()) instead = table.instead;
  }
  std::string body = SvgText(20, 30, "font-size=\"18\" font-weight=\"bold\"", report.name) +
                     SvgText(20, 52, "", report.source) + Legend(76, instead);
  double y = kHead;
  for (const Table& table : report.tables) {
    y += 1.5 * kRowHeight;
    const bool ratio = table.axis == Axis::kRatio;
    body += SvgText(20, y, "font-weight=\"bold\"",
                    table.title + (ratio ? " (figures / exact model, powers of ten)" : ""));
    const Scale scale = ScaleOf(table);
    const double bottom = y + 12 + kRowHeight * static_cast<double>(table.rows.size());
    body += SvgLine(scale.X(0), y + 8, scale.X(0), bottom,
                    "stroke=\"#999999\" stroke-dasharray=\"3 3\"");
    for (const Row& row : table.rows) {
      y += kRowHeight;
      body += RowSvg(row, table.axis, scale, y);
    }
  }
  for (const Chart& chart : report.charts) {
    y += 1.5 * kRowHeight;
    body += ChartSvg(chart, 20, y);
    y += kChartHeight;
  }
  return SvgFile(kWidth, y + 1.5 * kRowHeight, 12, body);
}

namespace {

constexpr double kPlotLeft = 90;
constexpr double kPlotRight = 820;
constexpr double kPlotTop = 24;
constexpr double kPlotBottom = kChartHeight - 50;
constexpr double kLegendLeft = kPlotRight + 24;
constexpr double kLegendStep = 20;

// After these the same colours in dashes.
constexpr size_t kNumColours = 7;

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

std::string Words(double x, double y, const std::string& anchor, const std::string& words) {
  return SvgText(x, y, "text-anchor=\"" + anchor + "\"", words);
}

std::string GridOfY(const Chart& chart, const AxisScale& scale, double most) {
  std::string svg;
  const auto tick = [&](double figure) {
    const double y = scale.At(figure);
    svg += SvgLine(kPlotLeft, y, kPlotRight, y, "stroke=\"#dddddd\"");
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
    svg +=
        SvgLine(x_scale.At(x), kPlotBottom, x_scale.At(x), kPlotBottom + 5, "stroke=\"#999999\"");
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
    svg += SvgLine(kLegendLeft, y - 4, kLegendLeft + 30, y - 4, style) +
           Words(kLegendLeft + 38, y, "start", line.name);
  }
  return svg + "</g>\n";
}

}  // namespace trommel::paper
