#include "bench/sides/access_shape.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kLineBytes = 64;

uint32_t LinesPerBlock(uint64_t num_bytes, const Geometry& geometry) {
  const uint64_t per_block = num_bytes / geometry.num_blocks;
  return static_cast<uint32_t>((per_block + kLineBytes - 1) / kLineBytes);
}

}  // namespace

std::vector<Touch> QueryShape(const Geometry& geometry) {
  // Few keys of fingerprints go on to an overflow line.
  if (HasFingerprints(geometry.encoding)) return {{geometry.num_blocks * kLineBytes, 1}};
  return {{geometry.query_bytes(), LinesPerBlock(geometry.presence_bytes(), geometry)}};
}

std::vector<Touch> UpdateShape(const Geometry& geometry) {
  if (HasFingerprints(geometry.encoding)) return QueryShape(geometry);
  if (geometry.encoding == Encoding::kRuns) {
    return {{geometry.num_bytes(), LinesPerBlock(geometry.num_bytes(), geometry)}};
  }
  std::vector<Touch> shape = QueryShape(geometry);
  shape.push_back({geometry.count_bytes(), LinesPerBlock(geometry.count_bytes(), geometry)});
  return shape;
}

uint32_t NumLines(const std::vector<Touch>& shape) {
  uint32_t num_lines = 0;
  for (const Touch& touch : shape) num_lines += touch.lines;
  return num_lines;
}

}  // namespace trommel::bench
