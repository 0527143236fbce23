// The published Bloom filters, whose positions lie all over memory, in one class of three kinds.
#ifndef TROMMEL_ENGINE_SRC_CLASSIC_FILTER_H_
#define TROMMEL_ENGINE_SRC_CLASSIC_FILTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/classic/geometry.h"
#include "trommel/keys.h"

namespace trommel::classic {

// For reproduction, teaching and comparison: a query reads up to k cache lines where CountingFilter
// reads one, and a counter takes a byte, however few bits it has.
//
//   kind            positions                        keys can be erased
//   kBloom          M bits, k hashes over all        no
//   kCountingBloom  M counters, k hashes over all    yes
//   kSplitCounting  k slices of m counters, hash i   yes
//                   falls into slice i
//
// A counter that reaches its maximum sticks there, as published: it neither rises nor falls any
// more. No key becomes absent because of that, but what stuck counters counted is lost, and their
// keys may stay maybe present after all keys were erased.
//
// In an array without slices two hashes of a key may fall on one counter, which then rises and
// falls by two. With slices it cannot happen:
//
//   slice 0    | . . 1 . . 2 . . |      a key touches one counter in each slice, and slices never
//   slice 1    | 1 . . . 1 . . 1 |      interact: the false-positive rate is exactly the product of
//     ...      |                 |      the slices' fills
//   slice k-1  | . 2 . 1 . . . . |
//
// So the first j slices are a filter of their own: exactly the one with k = j and the same m.
// Slices that will not be needed can be dropped, but none can be added: the keys inserted before
// would be absent from them.
//
// Keys are digests, single ones or batches of Keys::Digests. Outputs have the shapes of
// CountingFilter's.
class Filter {
 public:
  // Requires a valid geometry.
  explicit Filter(const ArrayGeometry& geometry);

  // Increments the k counters of every key, or sets its bits.
  void Insert(uint64_t digest);
  void Insert(Keys digests);

  // Decrements the counters of a key that are not stuck. Returns false, and changes nothing, for a
  // key that is certainly absent: a counter is zero, or one and two of its hashes fall on it.
  // Erasing a non-member goes undetected with the false-positive rate, and may make keys absent
  // that are in the filter. Requires a kind with counters.
  bool Erase(uint64_t digest);

  // Sets the bits in `maybe_present` of the keys that are maybe present and clears the others.
  // Returns how many are set.
  size_t Query(Keys digests, std::span<uint64_t> maybe_present) const;
  bool MayContain(uint64_t digest) const { return ShowsFirst(digest, geometry_.num_hashes); }

  // As Query, by the first `num_probes` hashes, 1 to num_hashes: keys that are in are maybe present
  // all the same, and more non-members are.
  size_t QueryFirst(Keys digests, uint32_t num_probes, std::span<uint64_t> maybe_present) const;

  // Returns the fewest probes, first hashes first, whose fills multiply to `target_fpr` or less, or
  // num_hashes if even all are not enough. The fills are those of this moment, not a model's. Cost:
  // a pass over the counters.
  uint32_t ProbesFor(double target_fpr) const;

  // Keeps the first `num_slices` slices and frees the others for good: the filter is then exactly
  // one created with num_hashes = num_slices. Requires slices, and 1 to num_hashes of them.
  void DropSlices(uint32_t num_slices);

  // Removes all keys.
  void Clear();

  const ArrayGeometry& geometry() const { return geometry_; }
  // Insertions less erasures; exact while at least one slice has no stuck counter, never below 0.
  uint64_t num_keys() const { return num_keys_; }
  // All counters, slice after slice.
  std::span<const uint8_t> counters() const { return counters_; }
  // The share of present positions among those that hash i falls on. Cost: a pass over them.
  double Fill(uint32_t hash_idx) const;

 private:
  bool ShowsFirst(uint64_t digest, uint32_t num_probes) const;
  uint8_t& CounterOf(uint64_t digest, uint32_t i) {
    return counters_[PositionOf(geometry_, digest, i)];
  }

  ArrayGeometry geometry_;
  std::vector<uint8_t> counters_;
  uint64_t num_keys_ = 0;
};

// Returns the digests of a batch. Requires that its keys are digests.
std::span<const uint64_t> DigestsOf(Keys digests);

// Sets the bits of the digests for which shows(digest) is true and clears the others. Returns how
// many are set.
template <class Shows>
size_t AnswerEach(Keys digests, std::span<uint64_t> maybe_present, const Shows& shows) {
  std::ranges::fill(maybe_present, 0);
  size_t num_present = 0;
  size_t i = 0;
  for (const uint64_t digest : DigestsOf(digests)) {
    const uint64_t is_present = shows(digest) ? 1 : 0;
    maybe_present[i / 64] |= is_present << i % 64;
    num_present += is_present;
    ++i;
  }
  return num_present;
}

}  // namespace trommel::classic

#endif  // TROMMEL_ENGINE_SRC_CLASSIC_FILTER_H_
