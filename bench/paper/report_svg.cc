#include "bench/paper/report_svg.h"

#include <algorithm>
#include <cmath>

#include "bench/paper/chart_svg.h"
#include "bench/printed.h"

namespace trommel::paper {
namespace {

using bench::Printed;

constexpr double kWidth = 1180;
constexpr double kStripLeft = 430;
constexpr double kStripRight = 940;
constexpr double kVerdictLeft = 970;
constexpr double kRowHeight = 22;
constexpr double kHead = 96;  // title and legend
constexpr size_t kMostLetters = 62;
constexpr double kLeastRatio = 1e-20;  // what is smaller is drawn at the edge

// Okabe and Ito's palette.
constexpr const char* kPaperColour = "#d55e00";
constexpr const char* kFormulaColour = "#777777";
constexpr const char* kExactColour = "#000000";
constexpr const char* kMeasuredColour = "#0072b2";
constexpr const char* kInsteadColour = "#009e73";

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Text(double x, double y, const std::string& attributes, const std::string& text) {
  return Printed("<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes.c_str()) + Escaped(text) +
         "</text>\n";
}

const char* VerdictColour(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAgrees:
    case Verdict::kAsModelled:
      return "#00704f";
    case Verdict::kSoundForm:
      return "#0072b2";
    case Verdict::kShown:
      return "#555555";
    default:
      return "#b03a00";
  }
}

// Where a figure of this row is on the axis, before it is scaled to the strip.
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
  Scale scale;  // 0 is always on it: ratio one, or nothing
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
  std::string svg = Text(kStripLeft - 14, y + 4, "text-anchor=\"end\"", label);
  svg += Printed("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
                 kStripLeft, y, kStripRight, y);
  const auto draw = [&](std::optional<double> figure, Mark mark) {
    if (const auto place = Place(row, axis, figure)) svg += MarkSvg(mark, scale.X(*place), y);
  };
  draw(row.exact, Mark::kTick);
  draw(row.formula, Mark::kSquare);
  draw(row.measured, Mark::kDot);
  draw(row.instead, Mark::kTriangle);
  draw(row.paper, Mark::kDiamond);
  const Verdict verdict = Judge(row);
  return svg + Text(kVerdictLeft, y + 4, Printed("fill=\"%s\"", VerdictColour(verdict)),
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
    svg += MarkSvg(mark, x, y) + Text(x + 12, y + 4, "", name);
    x += 125;
  }
  if (!instead.empty()) svg += MarkSvg(Mark::kTriangle, x, y) + Text(x + 12, y + 4, "", instead);
  return svg;
}

}  // namespace

std::string ReportSvg(const Report& report) {
  std::string instead;
  for (const Table& table : report.tables) {
    if (instead.empty()) instead = table.instead;
  }
  std::string body = Text(20, 30, "font-size=\"18\" font-weight=\"bold\"", report.name) +
                     Text(20, 52, "", report.source) + Legend(76, instead);
  double y = kHead;
  for (const Table& table : report.tables) {
    y += 1.5 * kRowHeight;
    const bool ratio = table.axis == Axis::kRatio;
    body += Text(20, y, "font-weight=\"bold\"",
                 table.title + (ratio ? " (figures / exact model, powers of ten)" : ""));
    const Scale scale = ScaleOf(table);
    const double bottom = y + 12 + kRowHeight * static_cast<double>(table.rows.size());
    body += Printed(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#999999\" "
        "stroke-dasharray=\"3 3\"/>\n",
        scale.X(0), y + 8, scale.X(0), bottom);
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
  return Printed(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
             "font-family=\"sans-serif\" font-size=\"12\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             kWidth, y + 1.5 * kRowHeight) +
         body + "</svg>\n";
}

}  // namespace trommel::paper
