// Erasures that depend on each other: which keys of a batch might no longer be shown once others of
// it have been erased?
//
// A key is erased from its home, the oldest generation that shows it: from one counter of each
// slice of its block there. So each key has a *claim* on these counters:
//
//   slice 0, counts   0  2  0  1  0     Three keys of one block. a and b have one counter in slice
//   0,
//           claims       ab    c        which counts 2. b and c have one in slice 1, which counts
//           1:
//   slice 1, counts   1  0  1  0  0     b and c are conflicts, a is free.
//           claims    a     bc
//
// In a generation of fingerprints a key's one counter is that of its fingerprint in its block.
//
// A key is *free* if none of its counters has more claims than counts, else a *conflict*. In
// whichever order the keys go, a free one finds each of its counters above 0, and so goes from its
// home. Keys that are all in the filter are free: each has added to its counters.
//
// A conflict may find that its home no longer shows it, and is then taken from a later generation.
// So it has claims in all later generations that show it (what does not show it now will not in its
// turn), which may make conflicts of other keys there, and so on.
//
// The order of conflicts matters. Whether free keys go before or after them does not: where the two
// share a counter, it has counts for all claims.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "trommel/scalable_filter.h"

namespace trommel {

inline constexpr size_t kMaxConflictKeys = 1024;

// Sets conflicts[i] for those of the digests, at most kMaxConflictKeys, that are conflicts; leaves
// the rest as it is. Requires a filter of generations, that all of the digests are shown, and that
// no other thread writes. Cost: some nanoseconds per key; a sort of those that share counters with
// others, and with generations, of all, where there is a conflict.
void MarkEraseConflicts(const ScalableFilter& filter, std::span<const uint64_t> digests,
                        std::span<bool> conflicts);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_
