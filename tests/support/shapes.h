// The shapes of blocks that tests are generated over, and the counters of a block of any shape.
#ifndef TROMMEL_TESTS_SUPPORT_SHAPES_H_
#define TROMMEL_TESTS_SUPPORT_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/layout.h"
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

// The kernels of a shape in a target's table.
inline const kernels::BlockKernels& KernelsOf(const kernels::KernelTable& table,
                                              const kernels::Shape& shape) {
  if (!shape.has_runs) return table.planes;
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

// The counters of one block, of any shape, counted one by one.
struct BlockCounters {
  explicit BlockCounters(size_t slices)
      : num_slices(slices), counters(slices * kernels::SlicePositions(slices)) {}

  uint64_t& At(uint64_t digest, size_t slice_idx) {
    return counters[slice_idx * kernels::SlicePositions(num_slices) +
                    kernels::Position(digest, slice_idx, num_slices)];
  }
  void Add(uint64_t digest) {
    for (size_t s = 0; s < num_slices; ++s) At(digest, s) += 1;
  }
  void Take(uint64_t digest) {
    for (size_t s = 0; s < num_slices; ++s) At(digest, s) -= 1;
  }
  uint64_t NumKeys() const {
    uint64_t num_keys = 0;
    for (size_t i = 0; i < kernels::SlicePositions(num_slices); ++i) num_keys += counters[i];
    return num_keys;
  }
  // Counter i is bit i.
  std::vector<uint32_t> PresenceWords() const {
    std::vector<uint32_t> words(counters.size() / 32);
    for (size_t i = 0; i < counters.size(); ++i) {
      if (counters[i] > 0) words[i / 32] |= uint32_t{1} << (i % 32);
    }
    return words;
  }

  size_t num_slices;
  std::vector<uint64_t> counters;  // slice by slice
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SHAPES_H_
