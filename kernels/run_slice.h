// Counts of one slice as a run string: for each present position in order a 1 followed by count - 1
// zeros, then a closing 1.
//
//   presence  ...0 1 0 1 1     positions 0, 1 and 3 present
//   counts         1   3 1     position 0 once, position 1 three times, position 3 once
//   runs      (bit 0 first)    1 | 1 0 0 | 1 | 1(end)
//
// Every key adds one to every slice of its block, so all slices of a block hold the same number of
// keys n, and the closing 1 of each is its bit n. A slice without keys has no runs at all: the
// empty string is 0. 64 bits hold up to 63 keys.
//
// The operations below find the run of a position by its rank among the present ones, and insert or
// remove bits behind its first. Kernels have a select of their own, with the CPU's instructions
// (select-inl.h).
#ifndef TROMMEL_KERNELS_RUN_SLICE_H_
#define TROMMEL_KERNELS_RUN_SLICE_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trommel::kernels {

// A run string of 64 bits holds this many keys, beside the closing 1.
inline constexpr uint32_t kMaxLongRunKeys = 63;
inline constexpr uint64_t kOneKeyRuns = 3;  // the run string of any single key

// The keys in a run string.
constexpr uint32_t KeysOfRuns(uint64_t runs) {
  return runs == 0 ? 0 : static_cast<uint32_t>(std::bit_width(runs)) - 1;
}

// The number of ones in each byte of the word.
constexpr uint64_t OnesOfBytes(uint64_t word) {
  word -= word >> 1 & 0x5555555555555555ULL;
  word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
  return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
}

// std::popcount, for CPUs that have no instruction for it.
constexpr uint32_t CountOnes(uint64_t word) {
  return static_cast<uint32_t>(OnesOfBytes(word) * 0x0101010101010101ULL >> 56);
}

// The word's k-th 1 (from 0), as a word with that bit only. Requires more than k ones. Finds first
// the byte, then the bit, by the same steps: sums of ones up to each, and how many of these are at
// most k. Without branches, which would be unpredictable.
constexpr uint64_t SelectOne(uint64_t word, uint32_t k) {
  constexpr uint64_t kBytes = 0x0101010101010101ULL;
  constexpr uint64_t kTopBits = 0x8080808080808080ULL;
  const auto index_after = [](uint64_t ones, uint64_t rank, uint64_t& sums) {
    sums = ones * kBytes;  // byte i: ones in bytes 0 .. i, at most 64
    const uint64_t is_before = ((rank * kBytes | kTopBits) - sums) & kTopBits;
    return static_cast<uint32_t>((is_before >> 7) * kBytes >> 56);
  };
  uint64_t sums = 0;
  const uint32_t byte_idx = index_after(OnesOfBytes(word), k, sums);
  const uint64_t rank = k - (sums << 8 >> 8 * byte_idx & 0xff);
  const uint64_t byte = word >> 8 * byte_idx & 0xff;
  const uint64_t bit_per_byte =
      byte * kBytes & 0x8040201008040201ULL;  // byte i: bit i, where it is
  const uint64_t ones = (bit_per_byte + 0x7f7f7f7f7f7f7f7fULL) >> 7 & kBytes;
  return uint64_t{1} << (8 * byte_idx + index_after(ones, rank, sums));
}

// The number of present positions up to this one.
inline uint32_t PresentUpTo(uint64_t presence, uint32_t position) {
  return CountOnes(presence << (63 - position));
}

// The 1 behind a position's run: the next run's first, or the closing one. Where the position is
// absent, its run would begin there. Not for an empty slice.
inline uint64_t RunEnd(uint64_t presence, uint64_t runs, uint32_t position) {
  return SelectOne(runs, PresentUpTo(presence, position));
}

// The count at a present position: how far back the 1 before its end is.
inline uint32_t RunCount(uint64_t runs, uint64_t run_end) {
  return static_cast<uint32_t>(std::bit_width(run_end) - std::bit_width(runs & (run_end - 1)));
}

// `runs` with `count` more keys at the position whose run ends at run_end. Requires a slice that is
// not empty, and that the keys fit.
//
//   present   1 0 | 1 ..   ->   1 0 0 | 1 ..     opens bits before the end
//   absent        | 1 ..   ->   1 0   | 1 ..     opens them there, and sets the first
constexpr uint64_t WithKeys(uint64_t runs, uint64_t run_end, bool is_present, uint32_t count) {
  const uint64_t below = run_end - 1;
  return (runs & below) | (runs & ~below) << count | (is_present ? 0 : run_end);
}

// The same for one key, in fewer steps: a number added to itself is shifted by one.
constexpr uint64_t WithKey(uint64_t runs, uint64_t run_end, bool is_present) {
  return (runs + (runs & (0 - run_end))) | (is_present ? 0 : run_end);
}

// `runs` with `count` keys less at a present position that has as many: removes the bits before its
// end; of a whole run, its first bit, too.
constexpr uint64_t WithKeysLess(uint64_t runs, uint64_t run_end, uint32_t count) {
  const uint64_t below = (run_end >> count) - 1;
  return (runs & below) | (runs >> count & ~below);
}

// Is there only one key at that position?
constexpr bool IsLastOfRun(uint64_t runs, uint64_t run_end) { return (runs & run_end >> 1) != 0; }

// The slice's counters from its presence bits and runs, and back. `counters` has one for each
// position; their sum is at most 63.
inline void DecodeSlice(uint64_t presence, uint64_t runs, std::span<uint64_t> counters) {
  std::ranges::fill(counters, 0);
  for (; presence != 0; presence &= presence - 1) {
    const uint64_t rest = runs >> 1;  // without the run's first bit, up to the next 1
    const auto zeros = static_cast<uint32_t>(std::countr_zero(rest));
    counters[static_cast<size_t>(std::countr_zero(presence))] = zeros + 1;
    runs = rest >> zeros;
  }
}

inline uint64_t EncodeSlice(std::span<const uint64_t> counters) {
  uint64_t runs = 0;
  uint32_t num_keys = 0;
  for (const uint64_t count : counters) {
    if (count > 0) runs |= uint64_t{1} << num_keys;
    num_keys += static_cast<uint32_t>(count);
  }
  return num_keys == 0 ? 0 : runs | uint64_t{1} << num_keys;
}

// Is any count above the limit? A count c is a 1 and c - 1 zeros, so this looks for `limit` zeros
// in a row: bits that begin as many survive the shifts.
constexpr bool HasCountAbove(uint64_t runs, uint32_t limit) {
  if (limit == 0 || runs <= 1) return runs > 1;  // any key; and the closing 1 alone has none
  if (limit >= 63) return false;
  uint64_t zeros = ~runs & (std::bit_floor(runs) - 1);
  for (uint32_t length = 1; length < limit;) {
    const uint32_t step = length < limit - length ? length : limit - length;
    zeros &= zeros >> step;
    length += step;
  }
  return zeros != 0;
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_RUN_SLICE_H_
