// The shapes of blocks that tests are generated over.
#ifndef TROMMEL_TESTS_SUPPORT_SHAPES_H_
#define TROMMEL_TESTS_SUPPORT_SHAPES_H_

#include <cstdint>
#include <ostream>
#include <vector>

#include "kernels/reference.h"
#include "kernels/run_block.h"
#include "trommel/sizing.h"

namespace trommel::kernels {

inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << (shape.has_runs ? "runs of " : "planes of ") << shape.num_slices << " slices";
}

}  // namespace trommel::kernels

namespace trommel::tests {

inline std::vector<kernels::Shape> RunShapes() {
  return {{4, true}, {5, true}, {8, true}, {10, true}};
}
inline std::vector<kernels::Shape> AllShapes() {
  return {8, {4, true}, {5, true}, {8, true}, {10, true}};
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

inline constexpr uint32_t kAllShapes[] = {4, 5, 8, 10};  // their numbers of slices

// Of fingerprints; dense blocks have 48 slots.
inline Geometry FingerprintsOf(Encoding encoding, uint64_t num_blocks, uint32_t shard_bits = 0,
                               uint32_t bits_less = 0) {
  const bool is_dense = encoding == Encoding::kDense;
  return {.num_slices = 0,
          .encoding = encoding,
          .shard_bits = shard_bits,
          .num_blocks = num_blocks,
          .fingerprint_bits = (is_dense ? 8 : 16) - bits_less,
          .slots = is_dense ? 48U : 0U};
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SHAPES_H_
