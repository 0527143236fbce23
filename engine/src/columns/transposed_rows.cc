#include "engine/src/columns/transposed_rows.h"

#include <algorithm>
#include <bit>

#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "kernels/presence_words.h"
#include "kernels/targets.h"

namespace trommel {

using kernels::ClearRowBits;
using kernels::CounterIndex;
using kernels::LoadRowWord;
using kernels::SetRowBits;

namespace {

constexpr uint64_t BitOf(uint32_t column) { return uint64_t{1} << column % 64; }

// Keys whose rows an update fetches ahead: one line per slice.
constexpr size_t kRowsDistance = 16;

}  // namespace

Result<TransposedRows> TransposedRows::Allocate(const Geometry& geometry, uint32_t num_columns) {
  kernels::UseKernels<kernels::AddColumns>();
  const uint64_t num_words = NumBytes(geometry, num_columns) / sizeof(uint32_t);
  Result<BlockMemory> memory = BlockMemory::Allocate(num_words);
  if (!memory) return memory.error();
  return TransposedRows(*std::move(memory), geometry, kernels::RowWords(num_columns));
}

template <size_t kSlices>
uint64_t* TransposedRows::WordOfSlice(uint64_t digest, size_t slice_idx, uint32_t column) const {
  return WordOf(kernels::RowIndex(digest, slice_idx, geometry_.num_blocks, kSlices), column);
}

template <size_t kSlices, class Visit>
void TransposedRows::ForEachWordOf(uint32_t column, std::span<const uint64_t> digests,
                                   const Visit& visit) const {
  const auto fetch = [&](size_t i) {
    for (size_t s = 0; s < kSlices; ++s) {
      __builtin_prefetch(WordOfSlice<kSlices>(digests[i], s, column), /*rw=*/1);
    }
  };
  const size_t lead = std::min(digests.size(), kRowsDistance);
  for (size_t i = 0; i < lead; ++i) fetch(i);
  for (size_t i = 0; i < digests.size(); ++i) {
    if (i + kRowsDistance < digests.size()) fetch(i + kRowsDistance);
    for (size_t s = 0; s < kSlices; ++s) {
      visit(i, s, WordOfSlice<kSlices>(digests[i], s, column));
    }
  }
}

template <class Visit>
void TransposedRows::ForEachWord(uint32_t column, std::span<const uint64_t> digests,
                                 const Visit& visit) const {
  switch (geometry_.num_slices) {
    case 4:
      return ForEachWordOf<4>(column, digests, visit);
    case 5:
      return ForEachWordOf<5>(column, digests, visit);
    case 8:
      return ForEachWordOf<8>(column, digests, visit);
    case 10:
      return ForEachWordOf<10>(column, digests, visit);
    default:
      return ForEachWordOf<16>(column, digests, visit);
  }
}

template <class Visit>
void TransposedRows::ForEachPresent(uint32_t column, const BlockStore& store,
                                    const Visit& visit) const {
  for (uint64_t block = 0; block < geometry_.num_blocks; ++block) {
    const uint32_t* presence = store.PresenceOf(block);
    for (size_t w = 0; w < store.presence_words(); ++w) {
      const uint64_t first = block * store.num_counters() + w * 32;
      for (uint32_t bits = presence[w]; bits != 0; bits &= bits - 1) {
        visit(WordOf(first + static_cast<uint64_t>(std::countr_zero(bits)), column));
      }
    }
  }
}

void TransposedRows::Set(uint32_t column, std::span<const uint64_t> digests) {
  const uint64_t bit = BitOf(column);
  ForEachWord(column, digests, [bit](size_t, size_t, uint64_t* word) { SetRowBits(bit, word); });
}

// Duplicates, and keys that share positions, find the bit clear already.
void TransposedRows::ClearDrained(uint32_t column, std::span<const uint64_t> digests,
                                  std::span<const uint64_t> erased, const BlockStore& store) {
  const uint64_t bit = BitOf(column);
  ForEachWord(column, digests, [&](size_t i, size_t s, uint64_t* word) {
    if ((erased[i / 64] >> i % 64 & 1) == 0) return;
    const uint64_t digest = digests[i];
    const uint32_t* presence = store.PresenceOf(kernels::BlockIndex(digest, geometry_.num_blocks));
    const uint32_t counter = CounterIndex(digest, s, geometry_.num_slices);
    if ((presence[counter / 32] >> counter % 32 & 1) == 0) ClearRowBits(bit, word);
  });
}

void TransposedRows::SetAll(uint32_t column, const BlockStore& store) {
  const uint64_t bit = BitOf(column);
  ForEachPresent(column, store, [bit](uint64_t* word) { SetRowBits(bit, word); });
}

void TransposedRows::ClearAll(uint32_t column, const BlockStore& store) {
  const uint64_t bit = BitOf(column);
  ForEachPresent(column, store, [bit](uint64_t* word) { ClearRowBits(bit, word); });
}

void TransposedRows::Query(std::span<const uint64_t> digests, uint64_t* columns) const {
  const kernels::ColumnRows rows{words(), geometry_.num_blocks, geometry_.num_slices, row_words_};
  kernels::ActiveKernels().columns.query(digests.data(), digests.size(), rows, columns);
}

void TransposedRows::Prefetch(uint64_t digest) const {
  constexpr size_t kLineWords = 64 / sizeof(uint64_t);
  for (size_t s = 0; s < geometry_.num_slices; ++s) {
    const uint64_t row = kernels::RowIndex(digest, s, geometry_.num_blocks, geometry_.num_slices);
    const uint64_t* at = words() + row * row_words_;
    for (size_t w = 0; w < row_words_; w += kLineWords) __builtin_prefetch(at + w);
  }
}

bool TransposedRows::MayContain(uint32_t column, uint64_t digest) const {
  uint64_t all = BitOf(column);
  for (size_t s = 0; s < geometry_.num_slices; ++s) {
    const uint64_t row = kernels::RowIndex(digest, s, geometry_.num_blocks, geometry_.num_slices);
    all &= LoadRowWord(WordOf(row, column));
  }
  return all != 0;
}

}  // namespace trommel
