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

// Of kSpeedMachine, target AVX3_DL, straight to memory (no split): medians of 7 rounds, 2026-11-21.
// In cache: 0.3 M keys; beyond cache: 30 M keys. Planes of 16 slices are those of 8 times their
// ratio in another run, which was too noisy for ns.
constexpr std::array<ShapeSpeed, 6> kSpeeds = {{
    {Encoding::kPlanes, 8, {5.8, 6.2, 2.0}, {35, 35, 11}},
    {Encoding::kPlanes, 16, {11, 11, 2.2}, {45, 44, 11}},
    {Encoding::kRuns, 4, {7.5, 9.0, 2.2}, {15, 15, 12}},
    {Encoding::kRuns, 5, {13, 15, 2.4}, {17, 18, 12}},
    {Encoding::kRuns, 8, {16, 17, 2.1}, {17, 18, 13}},
    {Encoding::kRuns, 10, {25, 28, 3.6}, {27, 31, 21}},
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
