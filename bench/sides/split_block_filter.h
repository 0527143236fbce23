// Presence bits only: a plain split-block Bloom filter as in Arrow and Parquet, without counts and
// without erase, and so a lower limit for the time of our queries. It has the same bits as an
// 8-slice counting filter with the same number of blocks (parquet-format, BloomFilter.md), in its
// own code: dispatched once per call to the best instruction set, prefetched in batches.
#ifndef TROMMEL_BENCH_SIDES_SPLIT_BLOCK_FILTER_H_
#define TROMMEL_BENCH_SIDES_SPLIT_BLOCK_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/machine/huge_array.h"

namespace trommel::bench {

class SplitBlockFilter {
 public:
  static constexpr size_t kWordsPerBlock = 8;

  // Requires 1 <= num_blocks < 2^32.
  explicit SplitBlockFilter(uint64_t num_blocks);

  void Insert(std::span<const uint64_t> digests) noexcept;
  // Sets bit i % 64 of word i / 64 if key i may be present; returns how many are.
  size_t Query(std::span<const uint64_t> digests, std::span<uint64_t> maybe_present) const noexcept;

  void Insert(uint64_t digest) noexcept;
  bool MayContain(uint64_t digest) const noexcept;

  uint64_t num_blocks() const noexcept { return num_blocks_; }
  uint64_t num_bytes() const noexcept { return words_.size() * sizeof(uint32_t); }
  std::span<const uint32_t> words() const noexcept { return {words_.data(), words_.size()}; }

 private:
  uint64_t num_blocks_;
  HugeArray<uint32_t> words_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_SPLIT_BLOCK_FILTER_H_
