// The classic filters that tests are generated over, as the reference and as the engine see them.
#ifndef TROMMEL_TESTS_SUPPORT_CLASSIC_SHAPES_H_
#define TROMMEL_TESTS_SUPPORT_CLASSIC_SHAPES_H_

#include <bit>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "kernels/classic_array.h"
#include "kernels/classic_reference.h"
#include "trommel/classic/geometry.h"

namespace trommel::kernels {

inline std::ostream& operator<<(std::ostream& out, const ClassicShape& shape) {
  return out << shape.num_hashes << (shape.has_slices ? " slices of " : " hashes into ")
             << shape.num_positions << " counters of " << shape.counter_bits << " bits"
             << (shape.is_mixed ? ", mixed" : "");
}

}  // namespace trommel::kernels

namespace trommel::tests {

// Every width of a counter, few and many hashes, positions that no byte or cache line divides.
inline std::vector<kernels::ClassicShape> ClassicShapes() {
  return {{true, false, 1, 4, 1},     {true, false, 10, 4, 1000}, {true, true, 7, 4, 129},
          {true, false, 3, 3, 77},    {true, true, 64, 4, 31},    {true, false, 5, 1, 513},
          {true, false, 4, 2, 300},   {true, true, 2, 8, 64},     {true, false, 6, 5, 90},
          {false, false, 1, 4, 10},   {false, false, 7, 4, 1021}, {false, true, 10, 4, 5},
          {false, false, 3, 1, 4096}, {false, true, 13, 2, 200},  {false, false, 64, 8, 700}};
}

inline classic::ArrayGeometry GeometryOf(const kernels::ClassicShape& shape) {
  return {.kind = shape.has_slices ? classic::Kind::kSplitCounting : classic::Kind::kCountingBloom,
          .hashing = shape.is_mixed ? classic::Hashing::kMixed : classic::Hashing::kDouble,
          .num_hashes = shape.num_hashes,
          .counter_bits = shape.counter_bits,
          .num_positions = shape.num_positions};
}

// The reference's memory as kernels see it.
inline kernels::ClassicArray ArrayOf(const kernels::ClassicShape& shape, uint8_t* bytes) {
  const classic::ArrayGeometry geometry = GeometryOf(shape);
  return {.bytes = bytes,
          .slice_stride = shape.has_slices ? geometry.slice_bytes() : 0,
          .num_positions = shape.num_positions,
          .num_hashes = shape.num_hashes,
          .field_log2 = static_cast<uint32_t>(std::countr_zero(geometry.field_bits())),
          .max_count = geometry.max_count(),
          .is_mixed = shape.is_mixed};
}

inline std::vector<uint8_t> BytesOfSpan(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const uint8_t*>(bytes.data());
  return {first, first + bytes.size()};
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_CLASSIC_SHAPES_H_
