// The stable split of a chunk of digests into digest ranges, by their top bits: a counting sort
// whose scattered writes stay in the second-level cache.
//
//   digests   b a c b a        in input order; the letter stands for the top bits
//   split     a a b b c        digest ranges in ascending order; within each, input order
//   starts    0   2   4 5      digest range r is [starts[r], starts[r + 1])
//
// Stable, because checked erases do not commute: a block must get its keys in input order.
//
// (A split of the whole batch at once would scatter its writes over memory, and would need software
// write-combining and streaming stores to be fast.)
#ifndef TROMMEL_ENGINE_SRC_KEYS_RADIX_SPLIT_H_
#define TROMMEL_ENGINE_SRC_KEYS_RADIX_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace trommel {

// Digests of one split: 512 KiB, and as much for its result, fit a second-level cache.
inline constexpr size_t kSplitChunk = size_t{1} << 16;

constexpr size_t RangeOf(uint64_t digest, uint32_t range_bits) {
  return range_bits == 0 ? 0 : static_cast<size_t>(digest >> (64 - range_bits));
}

// Requires at most kSplitChunk digests, range_bits of at most 16, and starts.size() of
// 2^range_bits + 1. Writes each digest's range index to `ranges`, in input order. Each digest that
// is written lies in the range that it is written to, whatever other threads write to `digests`.
void SplitByRange(std::span<const uint64_t> digests, uint32_t range_bits,
                  std::span<uint16_t> ranges, std::span<uint64_t> split,
                  std::span<uint32_t> starts) noexcept;

// Returns answers to input order: bit i of `answers` becomes the bit of key i's place in the split.
// `cursors` is scratch space for 2^range_bits numbers. `answers` has a word for every 64 keys, all
// of which are written.
void UnsplitAnswers(std::span<const uint16_t> ranges, std::span<const uint32_t> starts,
                    std::span<const uint64_t> split_answers, std::span<uint32_t> cursors,
                    uint64_t* answers) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_RADIX_SPLIT_H_
