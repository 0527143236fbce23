// The shapes of blocks that tests are generated over.
#ifndef TROMMEL_TESTS_SUPPORT_SHAPES_H_
#define TROMMEL_TESTS_SUPPORT_SHAPES_H_

#include <ostream>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "kernels/run_block.h"
#include "trommel/sizing.h"

namespace trommel::kernels {

inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << (shape.has_runs ? "runs of " : "planes of ") << shape.num_slices << " slices";
}

}  // namespace trommel::kernels

namespace trommel::tests {

inline std::vector<kernels::Shape> PlaneShapes() { return {8, 16}; }
inline std::vector<kernels::Shape> RunShapes() {
  return {{4, true}, {5, true}, {8, true}, {10, true}};
}
inline std::vector<kernels::Shape> AllShapes() {
  return {8, 16, {4, true}, {5, true}, {8, true}, {10, true}};
}

inline kernels::Shape ShapeOf(const Geometry& geometry) {
  return {geometry.num_slices, geometry.encoding == Encoding::kRuns};
}
inline Geometry GeometryOf(const kernels::Shape& shape, uint64_t num_blocks,
                           uint32_t shard_bits = 0) {
  return {.num_slices = static_cast<uint32_t>(shape.num_slices),
          .encoding = shape.has_runs ? Encoding::kRuns : Encoding::kPlanes,
          .shard_bits = shard_bits,
          .num_blocks = num_blocks};
}

// How many copies of one key a block holds before it is promoted.
inline uint32_t MostCopies(const kernels::Shape& shape) {
  return shape.has_runs ? kernels::RunCapacity(shape.num_slices) : kernels::kMaxPlaneCount;
}

// The kernels of a shape in a target's table.
inline const kernels::BlockKernels& KernelsOf(const kernels::KernelTable& table,
                                              const kernels::Shape& shape) {
  if (!shape.has_runs) return shape.num_slices == 8 ? table.planes8 : table.planes16;
  switch (shape.num_slices) {
    case 4:
      return table.runs4;
    case 5:
      return table.runs5;
    case 8:
      return table.runs8;
    default:
      return table.runs10;
  }
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SHAPES_H_
