// Erasures that depend on each other: which keys of a batch might no longer be shown once others of
// it have been erased?
//
// A key's bits are in one block of every generation, and erasing it takes one from a counter of
// each slice. So two keys can only meet where they share a block, and a key that c copies show
// withstands c - 1 erasures in its block, of whichever keys. Keys that may share a block are
// neighbours when digests are sorted, for blocks are ranges of a digest's upper half:
//
//   upper halves    12 . . 80 81 83 . . . . . 170 170 170 . . . 240
//   groups           a      b  b  b             c   c   c         d
//
// A key alone in its group has no conflict. In a group of n keys of which each has a count of n or
// more, all can be erased, in any order. Any other group's keys conflict.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "trommel/scalable_filter.h"

namespace trommel {

inline constexpr size_t kMaxConflictKeys = 256;

// Sets conflicts[i] for those of the digests, at most kMaxConflictKeys, that might depend on the
// others' erasure; leaves the rest as it is. Requires that all of them are shown, and that no other
// thread writes.
void MarkEraseConflicts(const ScalableFilter& filter, std::span<const uint64_t> digests,
                        std::span<bool> conflicts);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_ERASE_CONFLICTS_H_
