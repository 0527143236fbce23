// Transposed presence bits: the bits of many columns (filters of one geometry) at one position lie
// side by side, so that one AND of k rows answers a key for all columns. Shared by the kernels,
// their reference and the engine.
//
//                  column 0 1 2 3 4 ..
//   block 0  slice 0  position 0   | . 1 . . 1 ..  |   a row: row_words words of 64 columns, column
//                     position 1   | 1 . . . . ..  |   c is bit c % 64 of word c / 64
//                     ..
//            slice 1  position 0   | . . . 1 . ..  |
//                     ..
//   block 1  ..
//
// A row is the counter of a column's block (CounterIndex), so a key of k slices has k rows. Rows
// are 1, 2 or 4 words, or whole cache lines; they are aligned to their size, at most to a line.
#ifndef TROMMEL_KERNELS_COLUMNS_H_
#define TROMMEL_KERNELS_COLUMNS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/layout.h"

namespace trommel::kernels {

inline constexpr size_t kLineWords = 8;  // of 64 bits

// Words of a row of so many columns.
constexpr size_t RowWords(size_t num_columns) {
  const size_t words = (num_columns + 63) / 64;
  if (words <= kLineWords) return std::bit_ceil(words);
  return (words + kLineWords - 1) / kLineWords * kLineWords;
}

// A view. Requires a num_slices that some encoding has.
struct ColumnRows {
  const uint64_t* words;
  uint64_t num_blocks;
  size_t num_slices;
  size_t row_words;
};

// The row of a digest's position in slice s.
constexpr uint64_t RowIndex(uint64_t digest, size_t slice_idx, uint64_t num_blocks,
                            size_t num_slices) {
  return BlockIndex(digest, num_blocks) * num_slices * SlicePositions(num_slices) +
         CounterIndex(digest, slice_idx, num_slices);
}

// A key's rows are prefetched this many keys before they are used. Measured with 1 to 32: eight are
// best, or within a tenth of it, in rows of up to 16 words, in the caches and beyond them; wider
// rows, of 30 lines per key and more, need no more than four. Powers of two: the ring's index is a
// mask.
inline constexpr size_t kMinColumnDistance = 4;
inline constexpr size_t kMaxColumnDistance = 8;
inline constexpr size_t kColumnLinesAhead = 128;  // between these two: about as many lines

constexpr size_t ColumnDistance(size_t num_slices, size_t row_words) {
  const size_t lines = num_slices * std::max<size_t>(1, row_words / kLineWords);
  return std::bit_floor(
      std::clamp(kColumnLinesAhead / lines, kMinColumnDistance, kMaxColumnDistance));
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_COLUMNS_H_
