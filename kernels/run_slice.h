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

#include <bit>
#include <cstddef>
#include <cstdint>

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

// How a CPU without a deposit instruction finds a 1 by its rank.
struct PlainSelect {
  static constexpr uint64_t One(uint64_t word, uint32_t k) { return SelectOne(word, k); }
};

// The first bit of the run at `position`, present or not: where its run begins or would begin.
template <class Select>
inline uint64_t RunBegin(uint64_t presence, uint64_t runs, uint64_t position_bit) {
  return Select::One(runs, static_cast<uint32_t>(std::popcount(presence & (position_bit - 1))));
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

// `runs` with one key less at a present position: the bit behind its first goes. Where the count
// was one, that bit is the next run's first, which takes the place of ours.
constexpr uint64_t WithKeyLess(uint64_t runs, uint64_t run_begin) {
  const uint64_t below = (run_begin << 1) - 1;
  return (runs & below) | (runs >> 1 & ~below);
}

// Is there one key only at that position?
constexpr bool IsLastOfRun(uint64_t runs, uint64_t run_begin) {
  return (runs & run_begin << 1) != 0;
}

// Is any count above the limit? A count c is a 1 and c - 1 zeros, so the question is for a string
// of `limit` zeros: those that have so many in a row behind them survive the shifting.
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
