// Cells of many tuples, and queries that go block by block and hash by hash with the tuples that
// are left. A lane is a tuple.
#if defined(TROMMEL_KERNELS_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_CELLS_INL_H_
#undef TROMMEL_KERNELS_CELLS_INL_H_
#else
#define TROMMEL_KERNELS_CELLS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/cells.h"
#include "kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

// Positions, one digest per lane of 64 bits. A lane is the state of a digest's hashes: f1 + i f2 in
// its high half, f2 in its low half.

// The 64-bit product of the low halves.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V MultiplyLow([[maybe_unused]] D d, V a, V b) {
#if HWY_TARGET == HWY_SCALAR  // one lane is no pair of 32-bit lanes
  const V low = hn::Set(d, 0xffffffffU);
  return hn::Mul(hn::And(a, low), hn::And(b, low));
#else
  const hn::Repartition<uint32_t, D> half;
  return hn::MulEven(hn::BitCast(half, a), hn::BitCast(half, b));
#endif
}

// MixedHash of the low halves. Requires high halves of zero in h; those of the result are zero.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Mix(D d, V h) {
  const V low = hn::Set(d, 0xffffffffU);
  h = hn::Xor(h, hn::ShiftRight<16>(h));
  h = hn::And(MultiplyLow(d, h, hn::Set(d, 0x85ebca6bU)), low);
  h = hn::Xor(h, hn::ShiftRight<13>(h));
  h = hn::And(MultiplyLow(d, h, hn::Set(d, 0xc2b2ae35U)), low);
  return hn::Xor(h, hn::ShiftRight<16>(h));
}

// CellPosition of each lane.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V PositionsOf(D d, V num_positions, V digests, V hash_idx) {
  const V first = hn::Or(digests, hn::Set(d, 1));
  const V state = hn::Add(first, hn::ShiftLeft<32>(MultiplyLow(d, first, hash_idx)));
  const V hash = Mix(d, hn::ShiftRight<32>(state));
  return hn::ShiftRight<32>(MultiplyLow(d, hash, num_positions));
}

// Digests are prefetched this many tuples ahead: within a chunk's part of a column the hardware
// prefetcher hardly starts. (A fifth less time for sets of three.)
inline constexpr size_t kDigestsAhead = 128;

// The cells of one vector of tuples, from index i of the rows' digests on.
template <bool kIsWide, class D>
HWY_INLINE hn::Vec<D> CellsAt(D d, const uint64_t* const* row_digests, const CellBlock& block,
                              uint64_t hash_idx, size_t i) {
  auto cells = hn::Set(d, block.first);
  for (size_t r = 0; r < block.num_rows; ++r) {
    const CellRow& row = block.rows[r];
    hwy::Prefetch(row_digests[r] + i + kDigestsAhead);
    const auto positions = PositionsOf(d, hn::Set(d, row.num_positions),
                                       hn::LoadU(d, row_digests[r] + i), hn::Set(d, hash_idx));
    const auto stride = hn::Set(d, row.stride);
    cells =
        hn::Add(cells, kIsWide ? hn::Mul(positions, stride) : MultiplyLow(d, positions, stride));
  }
  return cells;
}

// The same of one tuple.
HWY_INLINE uint64_t CellAt(const uint64_t* const* row_digests, const CellBlock& block,
                           uint64_t hash_idx, size_t i) {
  uint64_t cell = block.first;
  for (size_t r = 0; r < block.num_rows; ++r) {
    const CellRow& row = block.rows[r];
    cell += CellPosition(row.num_positions, row_digests[r][i], hash_idx) * row.stride;
  }
  return cell;
}

template <bool kIsWide>
HWY_INLINE void CellsAs(const uint64_t* const* row_digests, size_t num_tuples,
                        const CellBlock& block, uint64_t hash_idx, uint64_t* HWY_RESTRICT cells) {
  const hn::ScalableTag<uint64_t> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= num_tuples; i += hn::Lanes(d)) {
    hn::StoreU(CellsAt<kIsWide>(d, row_digests, block, hash_idx, i), d, cells + i);
  }
  for (; i < num_tuples; ++i) cells[i] = CellAt(row_digests, block, hash_idx, i);
}

HWY_INLINE void CellsOfRows(const uint64_t* const* row_digests, size_t num_tuples,
                            const CellBlock& block, uint64_t hash_idx,
                            uint64_t* HWY_RESTRICT cells) {
  if (block.is_wide) {
    CellsAs<true>(row_digests, num_tuples, block, hash_idx, cells);
  } else {
    CellsAs<false>(row_digests, num_tuples, block, hash_idx, cells);
  }
}

void Cells(const uint64_t* const* columns, size_t num_tuples, const CellBlock& block,
           size_t hash_idx, uint64_t* HWY_RESTRICT cells) {
  const uint64_t* row_digests[kMaxCellRows];
  for (size_t r = 0; r < block.num_rows; ++r) row_digests[r] = columns[block.rows[r].column];
  CellsOfRows(row_digests, num_tuples, block, hash_idx, cells);
}

// The tuples whose cells so far were all marked. Digests of the current block's rows are read from
// the columns until the first tuple drops out; from then on, those of the remaining tuples are kept
// side by side.
struct CellCandidates {
  HWY_ALIGN uint64_t indices[kMaxCellTuples];
  size_t size;
  const uint64_t* row_digests[kMaxCellRows];
  HWY_ALIGN uint64_t kept[kMaxCellRows][kMaxCellTuples];
};

// Keeps the candidates whose cell is marked. They are written over candidates that were read
// before.
template <class D>
HWY_INLINE size_t KeepMarked(D d, const uint64_t* words, const uint64_t* HWY_RESTRICT cells,
                             size_t num_rows, CellCandidates& candidates, size_t i,
                             size_t num_kept) {
  const auto cell = hn::Load(d, cells + i);
  const hn::RebindToSigned<D> di;
  const auto found = hn::GatherIndex(d, words, hn::BitCast(di, hn::ShiftRight<6>(cell)));
  const auto bit = hn::Shl(hn::Set(d, 1), hn::And(cell, hn::Set(d, 63)));
  const auto is_marked = hn::TestBit(found, bit);
  for (size_t r = 0; r < num_rows; ++r) {
    const auto digests = hn::LoadU(d, candidates.row_digests[r] + i);
    hn::CompressStore(digests, is_marked, d, candidates.kept[r] + num_kept);
  }
  const auto indices = hn::Load(d, candidates.indices + i);
  return num_kept + hn::CompressStore(indices, is_marked, d, candidates.indices + num_kept);
}

// The same for one candidate, without vectors: CompressStore would write past the end.
HWY_INLINE size_t KeepIfMarked(const uint64_t* words, uint64_t cell, size_t num_rows,
                               CellCandidates& candidates, size_t i, size_t num_kept) {
  for (size_t r = 0; r < num_rows; ++r) {
    candidates.kept[r][num_kept] = candidates.row_digests[r][i];
  }
  candidates.indices[num_kept] = candidates.indices[i];
  return num_kept + (words[cell / 64] >> cell % 64 & 1);
}

// All cells first, and then their words: with nothing between the reads, more of them are in flight
// (a quarter less time than vector by vector; prefetching adds nothing).
HWY_INLINE void ProbeHash(const uint64_t* words, const CellBlock& block, uint64_t hash_idx,
                          CellCandidates& candidates) {
  const hn::ScalableTag<uint64_t> d;
  HWY_ALIGN uint64_t cells[kMaxCellTuples];
  CellsOfRows(candidates.row_digests, candidates.size, block, hash_idx, cells);
  size_t num_kept = 0;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= candidates.size; i += hn::Lanes(d)) {
    num_kept = KeepMarked(d, words, cells, block.num_rows, candidates, i, num_kept);
  }
  for (; i < candidates.size; ++i) {
    num_kept = KeepIfMarked(words, cells[i], block.num_rows, candidates, i, num_kept);
  }
  if (num_kept == candidates.size) return;
  candidates.size = num_kept;
  for (size_t r = 0; r < block.num_rows; ++r) candidates.row_digests[r] = candidates.kept[r];
}

// Points the rows at the digests of the candidates.
HWY_INLINE void EnterBlock(const uint64_t* const* columns, size_t num_tuples,
                           const CellBlock& block, CellCandidates& candidates) {
  for (size_t r = 0; r < block.num_rows; ++r) {
    const uint64_t* column = columns[block.rows[r].column];
    candidates.row_digests[r] = column;
    if (candidates.size == num_tuples) continue;
    for (size_t i = 0; i < candidates.size; ++i) {
      candidates.kept[r][i] = column[candidates.indices[i]];
    }
    candidates.row_digests[r] = candidates.kept[r];
  }
}

size_t QueryCells(const uint64_t* const* columns, size_t num_tuples, const uint64_t* words,
                  const CellBlock* blocks, size_t num_blocks, size_t num_hashes,
                  uint64_t* HWY_RESTRICT maybe_present) {
  CellCandidates candidates;
  candidates.size = num_tuples;
  for (size_t i = 0; i < num_tuples; ++i) candidates.indices[i] = i;
  for (size_t b = 0; b < num_blocks && candidates.size != 0; ++b) {
    EnterBlock(columns, num_tuples, blocks[b], candidates);
    for (size_t j = 0; j < num_hashes && candidates.size != 0; ++j) {
      ProbeHash(words, blocks[b], j, candidates);
    }
  }
  for (size_t w = 0; w < (num_tuples + 63) / 64; ++w) maybe_present[w] = 0;
  for (size_t c = 0; c < candidates.size; ++c) {
    const uint64_t i = candidates.indices[c];
    maybe_present[i / 64] |= uint64_t{1} << i % 64;
  }
  return candidates.size;
}

}  // namespace

void AddCellsForTarget(KernelTable& kernels) {
  kernels.cells.cells = &Cells;
  kernels.cells.query = &QueryCells;
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
