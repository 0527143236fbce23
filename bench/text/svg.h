// The few SVG elements that the drawings are made of.
#ifndef TROMMEL_BENCH_TEXT_SVG_H_
#define TROMMEL_BENCH_TEXT_SVG_H_

#include <cstddef>
#include <string>

namespace trommel::bench {

// Colours of lines: dark enough on white, and told apart by lightness as well (Okabe and Ito's
// palette, and some of Tol's).
inline constexpr const char* kLineColours[] = {"#0072b2", "#d55e00", "#000000", "#009e73",
                                               "#56b4e9", "#cc79a7", "#777777", "#aaaaaa",
                                               "#e69f00", "#882255", "#999933", "#332288"};

// `attributes` follow the coordinates inside of the element; the text is escaped.
std::string SvgText(double x, double y, const std::string& attributes, const std::string& text);
std::string SvgLine(double x1, double y1, double x2, double y2, const std::string& attributes);
// A whole file, on a white ground.
std::string SvgFile(double width, double height, double font_size, const std::string& body);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TEXT_SVG_H_
