// A split-block Bloom filter (Parquet's blocks) inlined into loops over keys, compiled for AVX2:
// the least that one key can cost, for its one cache line, without counts and without a choice of
// instruction sets. Digests are XXH3 of 8 bytes, as in our filters.
#ifndef TROMMEL_BENCH_SIDES_INLINED_BLOOM_H_
#define TROMMEL_BENCH_SIDES_INLINED_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/machine/huge_array.h"

namespace trommel::bench {

class InlinedBloom {
 public:
  static bool IsRunnable();  // is this an x86 CPU with AVX2?

  // Parquet's 10.5 bits per key: 1 % of non-members.
  explicit InlinedBloom(uint64_t num_keys)
      : num_blocks_((num_keys * 21 + 511) / 512), words_(num_blocks_ * 8) {}

  void Insert(std::span<const uint64_t> keys);
  uint64_t CountFound(std::span<const uint64_t> keys) const;

 private:
  uint64_t num_blocks_;
  HugeArray<uint32_t> words_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_INLINED_BLOOM_H_
