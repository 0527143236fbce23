// What a batch of tuples writes: as batch_output.h.
#ifndef TROMMEL_ENGINE_SRC_TUPLES_TUPLE_OUTPUT_H_
#define TROMMEL_ENGINE_SRC_TUPLES_TUPLE_OUTPUT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/base/check.h"
#include "engine/src/keys/batch_output.h"
#include "trommel/attribute_sets.h"
#include "trommel/tuples.h"

namespace trommel {

// Does it share a byte with a column of the set? Columns that are not given count as empty.
template <class T>
bool OverlapsColumns(const Tuples& tuples, AttributeMask set, std::span<const T> output) noexcept {
  for (AttributeMask rest = set; rest != 0; rest &= rest - 1) {
    const uint64_t* const column = tuples.columns[static_cast<size_t>(std::countr_zero(rest))];
    if (column == nullptr) continue;
    if (ShareBytes(std::as_bytes(std::span(column, tuples.size)), std::as_bytes(output)))
      return true;
  }
  return false;
}

// Of tuples, whose columns of the set are read.
inline void CheckBitmap(const Tuples& tuples, AttributeMask set,
                        std::span<const uint64_t> bitmap) noexcept {
  TROMMEL_CHECK(bitmap.size() == BitmapWords(tuples.size), "bitmap of another size");
  TROMMEL_CHECK(!OverlapsColumns(tuples, set, bitmap), "the bitmap overlaps a column");
}

inline void CheckCounts(const Tuples& tuples, AttributeMask set,
                        std::span<const uint64_t> counts) noexcept {
  TROMMEL_CHECK(counts.size() == tuples.size, "counts of another size");
  TROMMEL_CHECK(!OverlapsColumns(tuples, set, counts), "the counts overlap a column");
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_TUPLE_OUTPUT_H_
