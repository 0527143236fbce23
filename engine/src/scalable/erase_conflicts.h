// Erasures that depend on each other: which keys of a batch might no longer be shown once others of
// it have been erased?
//
// A key's bits are in one block of every generation, and erasing it takes one from a counter of
// each slice. So two keys can only meet where they share a block. Keys that may share one are
// neighbours when digests are sorted, for blocks are ranges of a digest's upper half:
//
//   upper halves    12 . . 80 81 83 . . . . . 170 170 170 . . . 240
//   groups           a      b  b  b             c   c   c         d
//
// A key is erased from its home, the oldest generation that shows it. A group is free of conflicts
// if each of its counters is at least as high as the number of the group's keys that have it in
// their homes. Then every key still finds its counters above 0 in its turn, in whichever order the
// keys go: so it goes from its home, and no key goes from a generation that was not counted. Keys
// that are all in the filter are always free: each has added to its counters. Of any other group
// all keys conflict: one that its home lacks in its turn is taken from a later generation, where
// other keys of the group may be at home.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "trommel/scalable_filter.h"

namespace trommel {

inline constexpr size_t kMaxConflictKeys = 1024;

// Sets conflicts[i] for those of the digests, at most kMaxConflictKeys, that might depend on the
// others' erasure; leaves the rest as it is. Requires a filter of generations, that all of the
// digests are shown, and that no other thread writes. Cost: some nanoseconds per key; a sort of
// those that share counters with others, and of all where there is a conflict.
void MarkEraseConflicts(const ScalableFilter& filter, std::span<const uint64_t> digests,
                        std::span<bool> conflicts);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_
