#include "bench/text/svg.h"

#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

std::string Attributes(const std::string& attributes) {
  return attributes.empty() ? "" : " " + attributes;
}

}  // namespace

std::string SvgText(double x, double y, const std::string& attributes, const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return Printed("<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, Attributes(attributes).c_str()) + escaped +
         "</text>\n";
}

std::string SvgLine(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return Printed("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"%s/>\n", x1, y1, x2, y2,
                 Attributes(attributes).c_str());
}

std::string SvgFile(double width, double height, double font_size, const std::string& body) {
  return Printed(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
             "font-family=\"sans-serif\" font-size=\"%.0f\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             width, height, font_size) +
         body + "</svg>\n";
}

}  // namespace trommel::bench
