// The drawing of memory against rate, as text.
#include "bench/memory_svg.h"

#include <sstream>
#include <string>

#include "bench/memory_model.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("the drawing has a curve and a name for each structure", "[bench][memory]") {
  const auto curves = MemoryCurves();
  const std::string svg = MemorySvg(curves, {});
  size_t num_curves = 0;
  for (size_t at = svg.find("<polyline"); at != std::string::npos;
       at = svg.find("<polyline", at + 1)) {
    ++num_curves;
  }
  CHECK(num_curves == curves.size());
  for (const MemoryCurve& curve : curves) CHECK(svg.find(">" + curve.name) != std::string::npos);
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("nan") == std::string::npos);
  // Nothing leaves the drawing, which is 860 wide.
  size_t num_points = 0;
  for (size_t at = svg.find(" points=\""); at != std::string::npos;
       at = svg.find(" points=\"", at + 1)) {
    std::istringstream points(svg.substr(at + 9, svg.find('"', at + 9) - at - 9));
    for (std::string point; points >> point; ++num_points) CHECK(std::stod(point) < 860);
  }
  CHECK(num_points > 8 * curves.size());
}

}  // namespace
}  // namespace trommel::bench
