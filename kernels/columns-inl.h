// Queries of transposed presence bits (columns.h): the AND of a key's k rows is its answer for all
// columns. A key's rows are found ColumnDistance keys ahead, and kept in a ring while their lines
// are prefetched:
//
//   ring   | key i: rows of slices 0 .. k-1 | key i + 1: .. | ... | key i + distance - 1: .. |
//             ANDed, then replaced by the rows of key i + distance
//
// A batch of one prefetches all lines of its rows before the first of them is used.
#if defined(TROMMEL_KERNELS_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_COLUMNS_INL_H_
#undef TROMMEL_KERNELS_COLUMNS_INL_H_
#else
#define TROMMEL_KERNELS_COLUMNS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/columns.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "kernels/presence_words.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Words of rows, which writers may change meanwhile: see presence_words.h.
template <class D>
HWY_INLINE hn::Vec<D> LoadRowWords(D d, const uint64_t* HWY_RESTRICT row) {
#if TROMMEL_ATOMIC_WORDS
  HWY_ALIGN uint64_t words[kLineWords];
  for (size_t i = 0; i < hn::Lanes(d); ++i) words[i] = LoadRowWord(row + i);
  return hn::Load(d, words);
#else
  return hn::Load(d, row);
#endif
}

// Rows of kWords words, or of any number of lines if that is a line.
template <size_t kSlices, size_t kWords>
class RowPipeline {
 public:
  HWY_INLINE explicit RowPipeline(const ColumnRows& rows)
      : rows_(rows), words_(kWords < kLineWords ? kWords : rows.row_words) {}

  HWY_INLINE void Fetch(uint64_t digest, size_t slot) {
    constexpr size_t kRows = kSlices * SlicePositions(kSlices);
    const uint64_t* block = rows_.words + BlockIndex(digest, rows_.num_blocks) * kRows * words_;
    const uint64_t** at = ring_[slot];
    HWY_UNROLL(16)
    for (size_t s = 0; s < kSlices; ++s) at[s] = block + CounterIndex(digest, s, kSlices) * words_;
    HWY_UNROLL(16)
    for (size_t s = 0; s < kSlices; ++s) {
      if (kWords < kLineWords) {
        hwy::Prefetch(at[s]);
      } else {
        for (size_t w = 0; w < words_; w += kLineWords) hwy::Prefetch(at[s] + w);
      }
    }
  }

  HWY_INLINE void Answer(size_t slot, uint64_t* HWY_RESTRICT columns) const {
    const hn::CappedTag<uint64_t, kWords> d;
    const uint64_t* const* at = ring_[slot];
    for (size_t w = 0; w < words_; w += hn::Lanes(d)) {
      auto all = LoadRowWords(d, at[0] + w);
      HWY_UNROLL(16)
      for (size_t s = 1; s < kSlices; ++s) all = hn::And(all, LoadRowWords(d, at[s] + w));
      hn::StoreU(all, d, columns + w);
    }
  }

  size_t words() const { return words_; }

 private:
  const ColumnRows rows_;
  const size_t words_;
  const uint64_t* ring_[kMaxColumnDistance][kSlices];
};

template <size_t kSlices, size_t kWords>
void QueryRows(const uint64_t* HWY_RESTRICT digests, size_t num_digests, const ColumnRows& rows,
               uint64_t* HWY_RESTRICT columns) {
  RowPipeline<kSlices, kWords> pipeline(rows);
  const size_t distance = ColumnDistance(kSlices, rows.row_words);
  const size_t lead = HWY_MIN(num_digests, distance);
  for (size_t i = 0; i < lead; ++i) pipeline.Fetch(digests[i], i);
  for (size_t i = 0; i < num_digests; ++i) {
    const size_t slot = i & (distance - 1);
    pipeline.Answer(slot, columns + i * pipeline.words());
    if (HWY_LIKELY(i + distance < num_digests)) pipeline.Fetch(digests[i + distance], slot);
  }
}

template <size_t kSlices>
void QueryColumnsOf(const uint64_t* digests, size_t num_digests, const ColumnRows& rows,
                    uint64_t* columns) {
  switch (rows.row_words) {
    case 1:
      return QueryRows<kSlices, 1>(digests, num_digests, rows, columns);
    case 2:
      return QueryRows<kSlices, 2>(digests, num_digests, rows, columns);
    case 4:
      return QueryRows<kSlices, 4>(digests, num_digests, rows, columns);
    default:
      return QueryRows<kSlices, kLineWords>(digests, num_digests, rows, columns);
  }
}

void QueryColumns(const uint64_t* digests, size_t num_digests, const ColumnRows& rows,
                  uint64_t* columns) {
  switch (rows.num_slices) {
    case 4:
      return QueryColumnsOf<4>(digests, num_digests, rows, columns);
    case 5:
      return QueryColumnsOf<5>(digests, num_digests, rows, columns);
    case 8:
      return QueryColumnsOf<8>(digests, num_digests, rows, columns);
    case 10:
      return QueryColumnsOf<10>(digests, num_digests, rows, columns);
    default:
      return QueryColumnsOf<16>(digests, num_digests, rows, columns);
  }
}

}  // namespace

void AddColumnsForTarget(KernelTable& kernels) { kernels.columns.query = &QueryColumns; }

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
