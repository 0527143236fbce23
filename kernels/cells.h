// The cells of the structures for tuples, and which are a tuple's: shared by their kernels, their
// reference and the engine. The picture is in trommel/matrix/geometry.h.
//
// A block is a grid of cells, with a row of positions per attribute. Hash j of an attribute's
// digest is a position: j times the low half, made odd, is added to the high half, and the sum is
// mixed and scaled down. The tuple's cell under hash j is
//
//   first + sum over rows of position * stride
//
// and cell c is bit c % 64 of word c / 64.
#ifndef TROMMEL_KERNELS_CELLS_H_
#define TROMMEL_KERNELS_CELLS_H_

#include <cstddef>
#include <cstdint>

namespace trommel::kernels {

// An attribute of a block.
struct CellRow {
  uint32_t column;         // which column of digests
  uint64_t num_positions;  // below 2^32
  uint64_t stride;         // cells from one position to the next
};

// A view.
struct CellBlock {
  const CellRow* rows;
  size_t num_rows;  // 1 .. kMaxCellRows
  uint64_t first;   // the number of its first cell; all cells' numbers are below 2^63
  bool is_wide;     // some stride needs more than 32 bits
};

inline constexpr size_t kMaxCellRows = 16;
// Tuples per kernel call: few enough that their candidates stay in the first-level cache.
inline constexpr size_t kMaxCellTuples = 512;

// MurmurHash3's finalizer for 32 bits (Austin Appleby): every bit of h reaches every bit.
constexpr uint32_t MixedHash(uint32_t h) {
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  return h ^ h >> 16;
}

// The position of a digest's hash among so many.
constexpr uint64_t CellPosition(uint64_t num_positions, uint64_t digest, size_t hash_idx) {
  const auto f1 = static_cast<uint32_t>(digest >> 32);
  const uint32_t f2 = static_cast<uint32_t>(digest) | 1;
  return MixedHash(f1 + static_cast<uint32_t>(hash_idx) * f2) * num_positions >> 32;
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_CELLS_H_
