// TransposedRows: the presence bits of many columns, transposed (kernels/columns.h). It
// depends on digests and on the stores of columns, not on locks or on which columns are open.
//
// Invariant, of a column while no operation of its own runs: its bit of a row is set exactly if its
// store's counter is above 0; without a store it is clear.
//
// Why queries beside writers are right. A writer has its column to itself (the caller's lock), and
// changes the column's bits after the store's counters: a bit is set when its counter has risen
// above 0, and cleared when the counter is 0. Between two of its operations, therefore, a bit is
// set as long as its counter is above 0.
//   - An insertion sets each of the key's bits, or finds it set by an operation of the same column,
//     which the lock has ordered before it. From then on no operation of the column clears it while
//     the key is in, because its counter stays above 0.
//   - Writers of other columns change other bits of the same word. Every change is an atomic
//     read-modify-write of one bit, so no change is lost, and every later value of the word has the
//     bit.
//   - A query that the insertion happened before reads, of each of the key's words, that value or a
//     later one (coherence), whole (presence_words.h). Nothing depends on the order of different
//     words, so relaxed order suffices.
#ifndef TROMMEL_ENGINE_SRC_COLUMNS_TRANSPOSED_ROWS_H_
#define TROMMEL_ENGINE_SRC_COLUMNS_TRANSPOSED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "engine/src/base/block_memory.h"
#include "engine/src/blocks/block_store.h"
#include "kernels/columns.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

class TransposedRows {
 public:
  static uint64_t NumBytes(const Geometry& geometry, uint32_t num_columns) {
    return geometry.num_positions() * kernels::RowWords(num_columns) * sizeof(uint64_t);
  }

  // All clear. Requires a valid geometry. Fails with kOutOfMemory if the system refuses.
  static Result<TransposedRows> Allocate(const Geometry& geometry, uint32_t num_columns);

  // --- Of one column. Thread safety: one thread per column at a time, beside queries.

  // After the store has inserted the digests.
  void Set(uint32_t column, std::span<const uint64_t> digests);
  // After the store has erased those digests whose bit is set in `erased`.
  void ClearDrained(uint32_t column, std::span<const uint64_t> digests,
                    std::span<const uint64_t> erased, const BlockStore& store);
  // All positions that the store has.
  void SetAll(uint32_t column, const BlockStore& store);
  void ClearAll(uint32_t column, const BlockStore& store);

  // --- Thread safety: any thread at any time.

  // Writes row_words() words per digest.
  void Query(std::span<const uint64_t> digests, uint64_t* columns) const;
  bool MayContain(uint32_t column, uint64_t digest) const;
  void Prefetch(uint64_t digest) const;  // what Query reads

  size_t row_words() const { return row_words_; }
  uint64_t num_bytes() const { return memory_.num_bytes(); }
  const uint64_t* words() const { return reinterpret_cast<const uint64_t*>(memory_.data()); }

 private:
  TransposedRows(BlockMemory memory, const Geometry& geometry, size_t row_words)
      : memory_(std::move(memory)), geometry_(geometry), row_words_(row_words) {}

  // The column's word of a row.
  uint64_t* WordOf(uint64_t row_idx, uint32_t column) const {
    return reinterpret_cast<uint64_t*>(memory_.data()) + row_idx * row_words_ + column / 64;
  }
  template <size_t kSlices>
  uint64_t* WordOfSlice(uint64_t digest, size_t slice_idx, uint32_t column) const;
  // visit(digest index, slice, word) for the words of all digests, fetched ahead.
  template <size_t kSlices, class Visit>
  void ForEachWordOf(uint32_t column, std::span<const uint64_t> digests, const Visit& visit) const;
  template <class Visit>
  void ForEachWord(uint32_t column, std::span<const uint64_t> digests, const Visit& visit) const;
  // visit(word) for all positions that the store has.
  template <class Visit>
  void ForEachPresent(uint32_t column, const BlockStore& store, const Visit& visit) const;

  BlockMemory memory_;
  Geometry geometry_;
  size_t row_words_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMNS_TRANSPOSED_ROWS_H_
