#include "bench/memory_svg.h"

#include <cmath>

#include "bench/printed.h"

namespace trommel::bench {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 520;
constexpr double kLeft = 80;
constexpr double kTop = 20;
constexpr double kRight = kWidth - 20;
constexpr double kBottom = kHeight - 60;
constexpr double kMostBits = 125;
constexpr size_t kNumOurs = 2;
constexpr int kStepsADecade = 12;

// Dark enough on white, and told apart by lightness, too (Okabe and Ito's palette).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#000000", "#009e73",
                                    "#56b4e9", "#cc79a7", "#777777", "#aaaaaa"};

double X(double bits) { return kLeft + bits / kMostBits * (kRight - kLeft); }

double Y(double rate, const RateRange& range) {
  return kTop +
         std::log10(range.most / rate) / std::log10(range.most / range.least) * (kBottom - kTop);
}

std::string Line(double x1, double y1, double x2, double y2, const std::string& style) {
  return Printed("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
                 style.c_str());
}

std::string Words(double x, double y, const char* anchor, const std::string& words) {
  return Printed("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
                 words.c_str());
}

std::string Axes(const RateRange& range) {
  const std::string grid = "stroke=\"#dddddd\"";
  std::string svg;
  for (double bits = 0; bits <= kMostBits; bits += 10) {
    svg += Line(X(bits), kTop, X(bits), kBottom, grid);
    svg += Words(X(bits), kBottom + 20, "middle", Printed("%.0f", bits));
  }
  for (double rate = range.most; rate > range.least / 2; rate /= 10) {
    svg += Line(kLeft, Y(rate, range), kRight, Y(rate, range), grid);
    svg += Words(kLeft - 8, Y(rate, range) + 5, "end", Printed("%.4g %%", 100 * rate));
  }
  svg += Words((kLeft + kRight) / 2, kHeight - 15, "middle",
               "bits a key, everything included, all keys distinct");
  svg += Printed(
      "<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">"
      "false-positive rate</text>\n",
      (kTop + kBottom) / 2);
  return svg;
}

}  // namespace

std::string MemorySvg(const std::vector<MemoryCurve>& curves, const RateRange& range) {
  std::string svg = Printed(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\""
      " font-size=\"14\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  svg += Axes(range);
  const int num_steps = static_cast<int>(kStepsADecade * std::log10(range.most / range.least));
  for (size_t c = 0; c < curves.size(); ++c) {
    const std::string style =
        Printed("stroke=\"%s\" stroke-width=\"%s\"%s", kColours[c % std::size(kColours)],
                c < kNumOurs ? "4" : "2", curves[c].counts ? "" : " stroke-dasharray=\"6 4\"");
    std::string points;
    for (int step = 0; step <= num_steps; ++step) {
      const double share = static_cast<double>(step) / num_steps;
      const double rate = range.most * std::pow(range.least / range.most, share);
      points += Printed("%.1f,%.1f ", X(curves[c].bits_per_key(rate)), Y(rate, range));
    }
    svg += "<polyline fill=\"none\" " + style + " points=\"" + points + "\"/>\n";
    // High rates with many bits a key: nothing is there.
    const double y = kTop + 24 + 22 * static_cast<double>(c);
    const double x = kRight - 280;
    svg += Line(x, y - 5, x + 36, y - 5, style);
    svg += Words(x + 46, y, "start", curves[c].name + (curves[c].counts ? "" : " (cannot erase)"));
  }
  return svg + "</svg>\n";
}

}  // namespace trommel::bench
