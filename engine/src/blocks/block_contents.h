// What a block holds, whatever its encoding: a sorted multiset of keys within the block. With
// fingerprints a digest is one such key; with presence bits it is one per slice, the counter of its
// position there. Merging, subtracting, folding, snapshots and tests speak of blocks this way.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_CONTENTS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_CONTENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/src/base/inline_vector.h"

namespace trommel {

// A key within a block, and how often the block holds it.
struct BlockKey {
  uint32_t key = 0;
  uint64_t count = 0;

  friend bool operator==(const BlockKey&, const BlockKey&) = default;
};

// Ascending, each key once, no count 0. Blocks of fingerprints that hide no more than a fixed
// record of HiddenKeys never need more than these: they are updated without an allocation.
inline constexpr size_t kInlineBlockKeys = 64;
using BlockContents = InlineVector<BlockKey, kInlineBlockKeys>;

// The number of copies of all keys.
inline uint64_t TotalOf(const BlockContents& contents) {
  uint64_t total = 0;
  for (const BlockKey& entry : contents) total += entry.count;
  return total;
}

// The first entry that is not below the key.
template <class Contents>
auto LowerBound(Contents& contents, uint32_t key) {
  return std::ranges::lower_bound(contents, key, {}, &BlockKey::key);
}

// The following take BlockContents, or a std::vector of the same.

template <class Contents>
uint64_t CountIn(const Contents& contents, uint32_t key) {
  const auto at = LowerBound(contents, key);
  return at != contents.end() && at->key == key ? at->count : 0;
}

template <class Contents>
void AddTo(Contents& contents, uint32_t key, uint64_t count) {
  const auto at = LowerBound(contents, key);
  if (at != contents.end() && at->key == key) {
    at->count += count;
  } else {
    contents.insert(at, {key, count});
  }
}

// Requires that the contents have as many.
template <class Contents>
void RemoveFrom(Contents& contents, uint32_t key, uint64_t count) {
  const auto at = LowerBound(contents, key);
  at->count -= count;
  if (at->count == 0) contents.erase(at);
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_CONTENTS_H_
