// Where a classic filter keeps a key: at k positions anywhere in memory, as published.
// For reproduction, teaching and comparison: CountingFilter is faster, and its counts are exact.
//
// A digest is cut into two halves. Hash i of a key is a linear function of them (double hashing, as
// the course text on HBase's Bloom filters makes k hashes from one), and its position among m is
// that hash scaled down:
//
//   digest   63 ........ 32 | 31 ......... 0
//                 f1        |  f2, made odd
//
//   hash(i) = (f1 + i * f2) mod 2^32          position(i) = hash(i) * m >> 32      i = 0 .. k-1
//
// Scaling keeps the order of hashes, so that halving m joins neighbours (Fold). m need not be a
// power of two; the shares of two positions differ by at most m / 2^32 of a share, so from m = 2^26
// on (1.6 %) filters are noticeably fuller in places than the formulas say.
#ifndef TROMMEL_CLASSIC_GEOMETRY_H_
#define TROMMEL_CLASSIC_GEOMETRY_H_

#include <cstdint>
#include <string_view>

#include "trommel/result.h"

namespace trommel::classic {

enum class Kind : uint8_t {
  kBloom = 0,          // M bits; k hashes over all of them (Bloom)
  kCountingBloom = 1,  // M counters; k hashes over all of them (Fan, Cao, Almeida and Broder)
  kSplitCounting = 2,  // k slices of m counters, a hash for each (Huang, Fang and Zhang)
};

std::string_view KindName(Kind kind) noexcept;  // "bloom", "counting bloom", "split counting"

enum class Hashing : uint8_t {
  // As above. Two keys whose halves are close are close in every slice, which no formula counts.
  // The smaller m and the larger k, the more non-members are answered "maybe present" than it says.
  // With half full slices (simulated):
  //   k = 10, m = 36,864  not seen (under 2 %)      k = 17, m = 21,684   6 %
  //   k = 14, m = 26,331  6 %                       k = 20, m = 18,432  49 %
  kDouble = 0,
  // hash(i) is mixed (MurmurHash3's 32-bit finalizer) before it is scaled: as good as k independent
  // hashes, for two multiplications more.
  kMixed = 1,
};

std::string_view HashingName(Hashing hashing) noexcept;  // "double", "mixed"

inline constexpr uint32_t kMaxHashes = 64;
inline constexpr uint64_t kMaxPositions = (uint64_t{1} << 32) - 1;  // of a slice, or of an array
inline constexpr uint32_t kMaxCounterBits = 8;

// All that decides which counters a digest touches, and how high they go. Two filters of the same
// geometry and digest policy hold the same for the same keys.
struct ArrayGeometry {
  Kind kind = Kind::kSplitCounting;
  Hashing hashing = Hashing::kDouble;
  uint32_t num_hashes = 0;     // k: 1 .. kMaxHashes
  uint32_t counter_bits = 4;   // 1 .. kMaxCounterBits; 1 for kBloom
  uint64_t num_positions = 0;  // m of a slice, M of an array without slices: 1 .. kMaxPositions

  constexpr uint32_t num_slices() const noexcept {
    return kind == Kind::kSplitCounting ? num_hashes : 1;
  }
  constexpr uint64_t total_positions() const noexcept { return num_slices() * num_positions; }
  // Where a counter sticks: it neither rises nor falls any more.
  constexpr uint32_t max_count() const noexcept { return (1U << counter_bits) - 1; }
  // Counters stand in fields of 1, 2, 4 or 8 bits: 3 bits take 4, and 5 to 7 take 8.
  constexpr uint32_t field_bits() const noexcept {
    return counter_bits <= 2 ? counter_bits : counter_bits <= 4 ? 4 : 8;
  }
  // Every slice begins on a cache line of its own: slices may be written at the same time.
  constexpr uint64_t slice_bytes() const noexcept {
    return (num_positions * field_bits() + 511) / 512 * 64;
  }
  constexpr uint64_t num_bytes() const noexcept { return num_slices() * slice_bytes(); }

  friend bool operator==(const ArrayGeometry&, const ArrayGeometry&) = default;
};

// kInvalidArgument, naming the value and the legal range, unless every field is in its range.
Status Validate(const ArrayGeometry& geometry);

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_GEOMETRY_H_
