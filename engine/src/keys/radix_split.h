// The stable split of a chunk of digests by range, their top bits: a counting sort that stays in
// the second-level cache, so that the writes to many runs never leave for memory.
//
//   digests   b a c b a        ranges by the top bits, in input order
//   split     a a b b c        runs in the order of ranges; within a run, input order
//   starts    0   2   4 5      run of range o is [starts[o], starts[o + 1])
//
// Stable, because checked erases do not commute: a block must see its keys in input order.
//
// (A split of the whole batch at once would write to all runs all over memory, and would need
// software write-combining and streaming stores to do so at speed. A chunk at a time stays near.)
#ifndef TROMMEL_ENGINE_SRC_KEYS_RADIX_SPLIT_H_
#define TROMMEL_ENGINE_SRC_KEYS_RADIX_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace trommel {

// 512 KiB of digests: with what they are split into, the share of a second-level cache.
inline constexpr size_t kSplitChunk = size_t{1} << 16;

constexpr size_t RangeOf(uint64_t digest, uint32_t range_bits) {
  return range_bits == 0 ? 0 : static_cast<size_t>(digest >> (64 - range_bits));
}

// At most kSplitChunk digests and 16 range_bits. `ranges` gets each digest's range, in input order;
// `starts` must have room for 2^range_bits + 1.
void SplitByRange(std::span<const uint64_t> digests, uint32_t range_bits,
                  std::span<uint16_t> ranges, std::span<uint64_t> split,
                  std::span<uint32_t> starts) noexcept;

// Hands the answers back: bit i of `answers` becomes the bit of key i's place in the split, which
// the same walk over ranges finds again. `cursors` is room for 2^range_bits numbers. `answers` has
// a word for every 64 keys, all of which are written.
void UnsplitAnswers(std::span<const uint16_t> ranges, std::span<const uint32_t> starts,
                    std::span<const uint64_t> split_answers, std::span<uint32_t> cursors,
                    uint64_t* answers) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_RADIX_SPLIT_H_
