/// @file
/// Geometry of the classic filters: k positions per key all over memory, as published.
#ifndef TROMMEL_CLASSIC_GEOMETRY_H_
#define TROMMEL_CLASSIC_GEOMETRY_H_

#include <cstdint>
#include <string_view>

#include "trommel/export.h"
#include "trommel/result.h"

/// The published Bloom filters over one large array, for reproduction, teaching and comparison.
namespace trommel::classic {

/// Which published filter.
enum class Kind : uint8_t {
  kBloom = 0,          ///< M bits, k hashes over all of them (Bloom).
  kCountingBloom = 1,  ///< M counters, k hashes over all (Fan, Cao, Almeida and Broder).
  kSplitCounting = 2,  ///< k slices of m counters, one hash for each (Huang, Fang and Zhang).
};

/// Returns "bloom", "counting bloom" or "split counting".
TROMMEL_API std::string_view KindName(Kind kind) noexcept;

/// How hashes become positions.
///
/// A digest is cut into two halves. Hash i of a key is a linear function of them (double hashing,
/// as the course text on HBase's Bloom filters makes k hashes from one), and its position among m
/// is that hash scaled down:
/// @code{.unparsed}
///   digest   63 ........ 32 | 31 ......... 0
///                 f1        |  f2, made odd
///
///   hash(i) = (f1 + i * f2) mod 2^32          position(i) = hash(i) * m >> 32      i = 0 .. k-1
/// @endcode
/// Scaling keeps the order of hashes, so that halving m joins neighbours (Filter::Fold). m need not
/// be a power of two. The shares of two positions differ by at most m / 2^32 of a share, so from
/// m = 2^26 on (1.6 %) filters are noticeably fuller in places than the formulas say.
enum class Hashing : uint8_t {
  /// As above. Two keys whose halves are close are close in every slice, which no formula accounts
  /// for: the smaller m and the larger k, the more non-members are maybe present beyond the
  /// prediction. With half full slices (simulated):
  /// @code{.unparsed}
  ///   k = 10, m = 36,864  not measurable (under 2 %)      k = 17, m = 21,684   6 %
  ///   k = 14, m = 26,331  6 %                             k = 20, m = 18,432  49 %
  /// @endcode
  kDouble = 0,
  /// hash(i) is mixed (MurmurHash3's 32-bit finalizer) before it is scaled: as good as k
  /// independent hashes, for two more multiplications.
  kMixed = 1,
};

/// Returns "double" or "mixed".
TROMMEL_API std::string_view HashingName(Hashing hashing) noexcept;

/// Most hashes k.
inline constexpr uint32_t kMaxHashes = 64;
/// Most positions of a slice, or of an array without slices.
inline constexpr uint64_t kMaxPositions = (uint64_t{1} << 32) - 1;
/// Most bits of a counter.
inline constexpr uint32_t kMaxCounterBits = 8;

/// Where the counters of a key are, and how high they count. Two filters with the same geometry and
/// digest policy have the same counters for the same keys.
struct TROMMEL_API ArrayGeometry {
  Kind kind = Kind::kSplitCounting;    ///< Which filter.
  Hashing hashing = Hashing::kDouble;  ///< How hashes become positions.
  uint32_t num_hashes = 0;             ///< k: 1 to kMaxHashes.
  uint32_t counter_bits = 4;           ///< 1 to kMaxCounterBits; 1 for kBloom.
  uint64_t num_positions = 0;  ///< m of a slice, or M of an array without: 1 to kMaxPositions.

  /// Returns the number of slices; 1 for an array without.
  constexpr uint32_t num_slices() const noexcept {
    return kind == Kind::kSplitCounting ? num_hashes : 1;
  }
  /// Returns the positions of all slices.
  constexpr uint64_t total_positions() const noexcept { return num_slices() * num_positions; }
  /// Returns where a counter sticks: it neither rises nor falls any more.
  constexpr uint32_t max_count() const noexcept { return (1U << counter_bits) - 1; }
  /// Returns the bits of the field that holds a counter, 1, 2, 4 or 8: counters of 3 bits take 4,
  /// those of 5 to 7 bits take 8.
  constexpr uint32_t field_bits() const noexcept {
    return counter_bits <= 2 ? counter_bits : counter_bits <= 4 ? 4 : 8;
  }
  /// Returns the bytes of a slice. Each begins on a cache line, so that threads can write different
  /// slices at the same time.
  constexpr uint64_t slice_bytes() const noexcept {
    return (num_positions * field_bits() + 511) / 512 * 64;
  }
  /// Returns the bytes of all slices.
  constexpr uint64_t num_bytes() const noexcept { return num_slices() * slice_bytes(); }

  /// Memberwise equality.
  friend bool operator==(const ArrayGeometry&, const ArrayGeometry&) = default;
};

/// Checks a geometry. Fails with kInvalidArgument, naming the value and the legal range, unless
/// every field is in its range.
TROMMEL_API Status Validate(const ArrayGeometry& geometry);

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_GEOMETRY_H_
