// Erasing a batch as a whole or not at all, once for all filters: its digests are sorted, what
// counts them is found (blocks/shortfalls.h), and they are erased if nothing is missing.
//
// *Ascending.* Digests of one block stand together, so that keys that share counters are looked up
// together; those of one lock range stand together, too, and are looked up under one lock. Erasing
// them in this order changes no contents, for all of them go.
//
// *Beside other threads* the locks are not held from the look-up to the erasure. What has been
// found stays there, unless another thread erases it: insertions take nothing, and an erasure of
// another key that was inserted takes what that key has added to its counters. So only erasures of
// the same keys, or of keys that are not in, can make an erasure of this batch fail half-way.
#ifndef TROMMEL_ENGINE_SRC_BATCHES_ERASE_ALL_H_
#define TROMMEL_ENGINE_SRC_BATCHES_ERASE_ALL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/shortfalls.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/radix_split.h"
#include "trommel/digest.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"

namespace trommel {

inline constexpr std::string_view kNoMemoryForDigests =
    "the system refused memory for the digests of a batch that is erased as a whole";

// Calls visit(range index, digests of the range) for the ranges of these ascending digests.
template <class Visit>
void ForEachRange(std::span<const uint64_t> digests, uint32_t range_bits, const Visit& visit) {
  while (!digests.empty()) {
    const size_t range_idx = RangeOf(digests.front(), range_bits);
    const auto end = std::ranges::partition_point(
        digests, [&](uint64_t digest) { return RangeOf(digest, range_bits) == range_idx; });
    const auto size = static_cast<size_t>(end - digests.begin());
    visit(range_idx, digests.first(size));
    digests = digests.subspan(size);
  }
}

// The digests of all keys, ascending. May throw std::bad_alloc.
std::vector<uint64_t> AscendingDigests(const DigestPolicy& policy, const Keys& keys);

// Sets the bits of the keys that are missing; the others stay. Requires shortfalls that have them
// listed.
void MarkMissing(const DigestPolicy& policy, const Keys& keys, Shortfalls& shortfalls,
                 std::span<uint64_t> missing);

// Erases all keys or none. find(digests, shortfalls) notes what is missing of ascending digests,
// and erase(digests) erases them and returns how many it has erased. `missing` may be empty, else
// all of it is written. Fails with kOutOfMemory, before anything is erased.
template <class Find, class Erase>
Result<EraseOutcome> EraseWholeBatch(const DigestPolicy& policy, const Keys& keys,
                                     std::span<uint64_t> missing, const Find& find,
                                     const Erase& erase) try {
  if (!missing.empty()) CheckBitmap(keys, missing);
  std::ranges::fill(missing, 0);
  const std::vector<uint64_t> digests = AscendingDigests(policy, keys);
  Shortfalls shortfalls(missing.empty() ? Shortfalls::Kept::kNumber : Shortfalls::Kept::kDigests);
  find(std::span(digests), shortfalls);
  if (shortfalls.num_missing() == 0) {
    const uint64_t num_erased = erase(Keys::Digests(digests));
    return EraseOutcome{num_erased, keys.size() - num_erased};
  }
  if (!missing.empty()) MarkMissing(policy, keys, shortfalls, missing);
  return EraseOutcome{0, shortfalls.num_missing()};
} catch (const std::bad_alloc&) {
  return OutOfMemoryError(kNoMemoryForDigests);
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BATCHES_ERASE_ALL_H_
