// The figures.
#include "tools/trommel/expected_speed.h"

#include <algorithm>
#include <array>

namespace trommel::tool {
namespace {

struct ShapeSpeed {
  Encoding encoding;
  uint32_t num_slices;
  ExpectedSpeed in_cache;
  ExpectedSpeed beyond_cache;
};

// Preliminary figures, of kSpeedMachine. In cache: filters of 1 M keys; beyond cache: of 30 M keys.
constexpr std::array<ShapeSpeed, 6> kSpeeds = {{
    {Encoding::kPlanes, 8, {3.6, 3.8, 1.3}, {6.2, 6.8, 2.4}},
    {Encoding::kPlanes, 16, {5.2, 5.6, 1.9}, {9.0, 9.8, 3.2}},
    {Encoding::kRuns, 4, {3.4, 3.6, 1.6}, {4.6, 4.9, 3.0}},
    {Encoding::kRuns, 5, {3.8, 4.0, 1.8}, {5.0, 5.3, 3.2}},
    {Encoding::kRuns, 8, {4.4, 4.6, 1.8}, {5.6, 5.9, 3.2}},
    {Encoding::kRuns, 10, {6.8, 7.2, 3.0}, {9.0, 9.5, 5.2}},
}};

}  // namespace

bool IsInCache(const Geometry& geometry) noexcept {
  return geometry.num_bytes() <= kMaxBytesInCache;
}

ExpectedSpeed ExpectedSpeedOf(const Geometry& geometry) noexcept {
  const auto* speed = std::ranges::find_if(kSpeeds, [&geometry](const ShapeSpeed& shape) {
    return shape.encoding == geometry.encoding && shape.num_slices == geometry.num_slices;
  });
  if (speed == kSpeeds.end()) return {};  // no valid geometry
  return IsInCache(geometry) ? speed->in_cache : speed->beyond_cache;
}

}  // namespace trommel::tool
