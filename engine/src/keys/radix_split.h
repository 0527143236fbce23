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

#include <algorithm>
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
inline void SplitByRange(std::span<const uint64_t> digests, uint32_t range_bits,
                         std::span<uint16_t> ranges, std::span<uint64_t> split,
                         std::span<uint32_t> starts) noexcept {
  const size_t num_ranges = size_t{1} << range_bits;
  std::fill_n(starts.begin(), num_ranges + 1, 0U);
  // The second loop writes all over the 512 KiB of `split`. Prefetched in order while the digest
  // ranges are counted, they are in the cache by then (bench/README.md, "Dead ends").
  constexpr size_t kKeysPerLine = 8;
  for (size_t i = 0; i < digests.size(); ++i) {
    if (i % kKeysPerLine == 0) __builtin_prefetch(split.data() + i, /*rw=*/1);
    const size_t range = RangeOf(digests[i], range_bits);
    ranges[i] = static_cast<uint16_t>(range);
    ++starts[range + 1];
  }
  for (size_t r = 0; r < num_ranges; ++r) starts[r + 1] += starts[r];
  // Each start moves to the end of its digest range, which is the start of the next: afterwards
  // they are shifted back by one. A digest that another thread has written to since it was counted
  // gets the top bits of the range that it was counted in (key_batches.h).
  const uint64_t low_bits = ~uint64_t{0} >> range_bits;
  const auto top_bits = [range_bits](uint64_t range) { return range << 1 << (63 - range_bits); };
  for (size_t i = 0; i < digests.size(); ++i) {
    split[starts[ranges[i]]++] = (digests[i] & low_bits) | top_bits(ranges[i]);
  }
  for (size_t r = num_ranges; r > 0; --r) starts[r] = starts[r - 1];
  starts[0] = 0;
}

// Returns answers to input order: bit i of `answers` becomes the bit of key i's place in the split.
// `cursors` is scratch space for 2^range_bits numbers. `answers` has a word for every 64 keys, all
// of which are written.
inline void UnsplitAnswers(std::span<const uint16_t> ranges, std::span<const uint32_t> starts,
                           std::span<const uint64_t> split_answers, std::span<uint32_t> cursors,
                           uint64_t* answers) noexcept {
  std::copy_n(starts.begin(), cursors.size(), cursors.begin());
  for (size_t first = 0; first < ranges.size(); first += 64) {
    const size_t count = std::min<size_t>(64, ranges.size() - first);
    uint64_t word = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t place = cursors[ranges[first + i]]++;
      word |= (split_answers[place / 64] >> (place % 64) & 1) << i;
    }
    answers[first / 64] = word;
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_RADIX_SPLIT_H_
