// A batch of tuples in chunks, and what every batch is checked for.
#ifndef TROMMEL_ENGINE_SRC_TUPLES_TUPLE_CHUNKS_H_
#define TROMMEL_ENGINE_SRC_TUPLES_TUPLE_CHUNKS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/base/check.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"

namespace trommel {

// Aborts unless all columns of the set are given.
inline void CheckColumns(const Tuples& tuples, AttributeMask needed) {
  if (tuples.size == 0) return;
  for (AttributeMask rest = needed; rest != 0; rest &= rest - 1) {
    TROMMEL_CHECK(tuples.columns[static_cast<size_t>(std::countr_zero(rest))] != nullptr,
                  "a column that is needed is not given");
  }
}

// Calls visit(first, chunk) for the batch's chunks, in order.
template <class Visit>
void ForEachTupleChunk(const Tuples& tuples, size_t chunk_size, const Visit& visit) {
  for (size_t first = 0; first < tuples.size; first += chunk_size) {
    visit(first, tuples.From(first, std::min(chunk_size, tuples.size - first)));
  }
}

// The words of a batch's bitmap that are a chunk's, which begins at a multiple of 64.
inline std::span<uint64_t> WordsOf(std::span<uint64_t> bitmap, size_t first, size_t num_tuples) {
  return bitmap.subspan(first / 64, TupleIndex::BitmapWords(num_tuples));
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_TUPLE_CHUNKS_H_
