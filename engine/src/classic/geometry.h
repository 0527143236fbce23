// Geometry of the classic filters: k positions per key all over memory, as published.
#ifndef TROMMEL_ENGINE_SRC_CLASSIC_GEOMETRY_H_
#define TROMMEL_ENGINE_SRC_CLASSIC_GEOMETRY_H_

#include <cstdint>

// The published Bloom filters over one large array, for reproduction, teaching and comparison:
// scalar, and never included by what is for production.
namespace trommel::classic {

// Which published filter.
enum class Kind : uint8_t {
  kBloom,          // M bits, k hashes over all of them (Bloom)
  kCountingBloom,  // M counters, k hashes over all (Fan, Cao, Almeida and Broder)
  kSplitCounting,  // k slices of m counters, one hash for each (Huang, Fang and Zhang)
};

// How hashes become positions.
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
// m need not be a power of two. The shares of two positions differ by at most m / 2^32 of a share,
// so from m = 2^26 on (1.6 %) filters are noticeably fuller in places than the formulas say.
enum class Hashing : uint8_t {
  // As above. Two keys whose halves are close are close in every slice, which no formula accounts
  // for: the smaller m and the larger k, the more non-members are maybe present beyond the
  // prediction. With half full slices (simulated):
  //
  //   k = 10, m = 36,864  not measurable (under 2 %)      k = 17, m = 21,684   6 %
  //   k = 14, m = 26,331  6 %                             k = 20, m = 18,432  49 %
  kDouble,
  // hash(i) is mixed (MurmurHash3's 32-bit finalizer) before it is scaled: as good as k independent
  // hashes, for two more multiplications.
  kMixed,
};

inline constexpr uint32_t kMaxHashes = 64;
inline constexpr uint64_t kMaxPositions = (uint64_t{1} << 32) - 1;  // of a slice, or of an array
inline constexpr uint32_t kMaxCounterBits = 8;

// Where the counters of a key are, and how high they count. Two filters of the same geometry have
// the same counters for the same keys.
struct ArrayGeometry {
  Kind kind = Kind::kSplitCounting;
  Hashing hashing = Hashing::kDouble;
  uint32_t num_hashes = 0;     // k: 1 to kMaxHashes
  uint32_t counter_bits = 4;   // 1 to kMaxCounterBits; 1 for kBloom
  uint64_t num_positions = 0;  // m of a slice, or M of an array without: 1 to kMaxPositions

  constexpr bool is_valid() const {
    return num_hashes >= 1 && num_hashes <= kMaxHashes && counter_bits >= 1 &&
           counter_bits <= (kind == Kind::kBloom ? 1 : kMaxCounterBits) && num_positions >= 1 &&
           num_positions <= kMaxPositions;
  }
  // An array without slices is one.
  constexpr uint32_t num_slices() const { return kind == Kind::kSplitCounting ? num_hashes : 1; }
  constexpr uint64_t total_positions() const { return num_slices() * num_positions; }
  // Where a counter sticks: it neither rises nor falls any more.
  constexpr uint32_t max_count() const { return (1U << counter_bits) - 1; }

  friend bool operator==(const ArrayGeometry&, const ArrayGeometry&) = default;
};

// MurmurHash3's finalizer for 32 bits (Austin Appleby): every bit of h reaches every bit.
constexpr uint32_t Mixed(uint32_t h) {
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  return h ^ h >> 16;
}

// Returns the counter of hash i of a digest, among those of all slices.
constexpr uint64_t PositionOf(const ArrayGeometry& geometry, uint64_t digest, uint32_t i) {
  const auto f1 = static_cast<uint32_t>(digest >> 32);
  const uint32_t f2 = static_cast<uint32_t>(digest) | 1;
  uint32_t hash = f1 + i * f2;
  if (geometry.hashing == Hashing::kMixed) hash = Mixed(hash);
  const uint64_t first = geometry.kind == Kind::kSplitCounting ? i * geometry.num_positions : 0;
  return first + (hash * geometry.num_positions >> 32);
}

}  // namespace trommel::classic

#endif  // TROMMEL_ENGINE_SRC_CLASSIC_GEOMETRY_H_
