// A batch of tuples: its chunks, and what every batch is checked for (keys/key_batches.h).
#ifndef TROMMEL_ENGINE_SRC_TUPLES_TUPLE_BATCH_H_
#define TROMMEL_ENGINE_SRC_TUPLES_TUPLE_BATCH_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/base/check.h"
#include "engine/src/keys/key_batches.h"
#include "trommel/attribute_sets.h"
#include "trommel/tuples.h"

namespace trommel {

// Aborts unless all columns of the set are given.
inline void CheckColumns(const Tuples& tuples, AttributeMask set) {
  if (tuples.size == 0) return;
  for (AttributeMask rest = set; rest != 0; rest &= rest - 1) {
    TROMMEL_CHECK(tuples.columns[static_cast<size_t>(std::countr_zero(rest))] != nullptr,
                  "a column of the set is not given");
  }
}

// Does the output share a byte with a column of the set? Columns that are not given count as empty.
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

// `set`: the columns that the batch reads.
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

// Calls visit(first, chunk) for the batch's chunks, in order.
template <class Visit>
void ForEachTupleChunk(const Tuples& tuples, size_t chunk_size, const Visit& visit) {
  // A view is a pointer per attribute there can be: of a small batch a copy would cost more than
  // the rest.
  if (tuples.size <= chunk_size) {
    if (tuples.size != 0) visit(size_t{0}, tuples);
    return;
  }
  for (size_t first = 0; first < tuples.size; first += chunk_size) {
    visit(first, tuples.From(first, std::min(chunk_size, tuples.size - first)));
  }
}

// A chunk's words of the batch's bitmap. Requires a chunk that begins at a multiple of 64.
inline std::span<uint64_t> WordsOf(std::span<uint64_t> bitmap, size_t first, size_t num_tuples) {
  return bitmap.subspan(first / 64, BitmapWords(num_tuples));
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_TUPLE_BATCH_H_
