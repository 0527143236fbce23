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
// The operations below find the run of a position by its rank among the present ones, and open or
// close one bit behind its first. `Select` is how to find the k-th 1 of a word, so that kernels can
// bring what their CPU has for it.
#ifndef TROMMEL_KERNELS_RUN_SLICE_H_
#define TROMMEL_KERNELS_RUN_SLICE_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trommel::kernels {

inline constexpr uint64_t kOneKeyRuns = 3;  // the run string of any single key

// The keys in a run string.
constexpr uint32_t KeysOfRuns(uint64_t runs) {
  return runs == 0 ? 0 : static_cast<uint32_t>(std::bit_width(runs)) - 1;
}

// The k-th 1 (from 0) of a word that has more than k: alone, where it stands. Counts ones byte by
// byte, then halves the byte that holds it three times.
constexpr uint64_t SelectOne(uint64_t word, uint32_t k) {
  constexpr uint64_t kBytes = 0x0101010101010101ULL;
  uint64_t sums = word - (word >> 1 & 0x5555555555555555ULL);
  sums = (sums & 0x3333333333333333ULL) + (sums >> 2 & 0x3333333333333333ULL);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * kBytes;  // byte i: ones in bytes 0 .. i
  // Bytes whose sum is at most k lie before the one we want; their high bits survive.
  const uint64_t before = ((k * kBytes | 0x8080808080808080ULL) - sums) & 0x8080808080808080ULL;
  uint32_t shift = static_cast<uint32_t>((before >> 7) * kBytes >> 56) * 8;
  k -= static_cast<uint32_t>(sums << 8 >> shift) & 0xff;
  for (uint32_t half = 4; half > 0; half /= 2) {
    const uint64_t low = word >> shift & ((uint64_t{1} << half) - 1);
    const auto ones = static_cast<uint32_t>(std::popcount(low));
    const bool is_above = k >= ones;
    k -= is_above ? ones : 0;
    shift += is_above ? half : 0;
  }
  return uint64_t{1} << shift;
}

// How many present positions come before this one, present or not.
inline uint32_t RunRank(uint64_t presence, uint64_t position_bit) {
  return static_cast<uint32_t>(std::popcount(presence & (position_bit - 1)));
}

// The first bit of the run at a position, present or not: where its run begins or would begin. Not
// for an empty slice.
inline uint64_t RunBegin(uint64_t presence, uint64_t runs, uint64_t position_bit) {
  return SelectOne(runs, RunRank(presence, position_bit));
}

// The count at a present position.
inline uint32_t RunCount(uint64_t runs, uint64_t run_begin) {
  // The next 1 ends it; the closing 1 at the latest.
  return static_cast<uint32_t>(std::countr_zero(runs & ~((run_begin << 1) - 1)) -
                               std::countr_zero(run_begin));
}

// `runs` with `count` more keys at the position whose run begins there. Not for an empty slice, and
// only while there is room.
//
//   present   1 0 | 1 ..   ->   1 0 0 | 1 ..     opens bits behind the first
//   absent    1 ..         ->   1 | 1 ..         opens them there, and sets the first
constexpr uint64_t WithKeys(uint64_t runs, uint64_t run_begin, bool is_present, uint32_t count) {
  const uint64_t gap = run_begin << (is_present ? 1 : 0);
  return (runs & (gap - 1)) | (runs & ~(gap - 1)) << count | run_begin;
}

// WithKeys for one key, in fewer steps: a number added to itself is shifted by one.
constexpr uint64_t WithKey(uint64_t runs, uint64_t run_begin, bool is_present) {
  const uint64_t gap = run_begin << (is_present ? 1 : 0);
  return (runs + (runs & (0 - gap))) | run_begin;
}

// `runs` with one key less at a present position: the bit behind its first goes. Where the count
// was one, that bit is the next run's first, which takes the place of ours.
constexpr uint64_t WithKeyLess(uint64_t runs, uint64_t run_begin) {
  const uint64_t below = (run_begin << 1) - 1;
  return (runs & below) | (runs >> 1 & ~below);
}

// The same with `count` keys less, which must be there: the bits from the run's first on where that
// is the whole run (then the position is no longer present), else from its last backwards.
constexpr uint64_t WithKeysLess(uint64_t runs, uint64_t run_begin, uint32_t count) {
  const uint64_t below = (run_begin << 1) - 1;
  return (runs & below) | (runs >> count & ~below);
}

// Is there one key only at that position?
constexpr bool IsLastOfRun(uint64_t runs, uint64_t run_begin) {
  return (runs & run_begin << 1) != 0;
}

// The slice's counters from its presence bits and runs, and back. `counters` has one for each
// position; their sum is at most 63.
inline void DecodeSlice(uint64_t presence, uint64_t runs, std::span<uint64_t> counters) {
  std::ranges::fill(counters, 0);
  for (; presence != 0; presence &= presence - 1) {
    const uint64_t rest = runs >> 1;  // without our first bit, up to the next 1
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

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_RUN_SLICE_H_
