// The contents of a stamped block: a sorted multiset of (fingerprint, bucket), however it is kept.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_BUCKET_KEYS_H_
#define TROMMEL_ENGINE_SRC_WINDOW_BUCKET_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/src/base/inline_vector.h"

namespace trommel {

// A fingerprint of a bucket, and how many copies of it there are.
struct BucketKey {
  uint32_t fingerprint = 0;
  uint64_t bucket = 0;
  uint64_t count = 0;

  friend bool operator==(const BucketKey&, const BucketKey&) = default;
};

inline bool ComesBefore(const BucketKey& a, const BucketKey& b) {
  return a.fingerprint != b.fingerprint ? a.fingerprint < b.fingerprint : a.bucket < b.bucket;
}

// Ascending, each pair once, no count 0.
using StampedContents = InlineVector<BucketKey, 64>;

// The first entry that does not come before the pair.
inline BucketKey* LowerBound(StampedContents& keys, uint32_t fingerprint, uint64_t bucket) {
  return std::lower_bound(keys.begin(), keys.end(), BucketKey{fingerprint, bucket, 0},
                          &ComesBefore);
}

inline bool IsAt(const StampedContents& keys, const BucketKey* at, uint32_t fingerprint,
                 uint64_t bucket) {
  return at != keys.end() && at->fingerprint == fingerprint && at->bucket == bucket;
}

inline void AddCopies(StampedContents& keys, const BucketKey& added) {
  BucketKey* const at = LowerBound(keys, added.fingerprint, added.bucket);
  if (IsAt(keys, at, added.fingerprint, added.bucket)) {
    at->count += added.count;
  } else {
    keys.insert(at, added);
  }
}

// Leaves one copy of each fingerprint, of its youngest bucket.
inline void KeepYoungest(StampedContents& keys) {
  size_t size = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i + 1 < keys.size() && keys[i + 1].fingerprint == keys[i].fingerprint) continue;
    keys[size++] = {keys[i].fingerprint, keys[i].bucket, 1};
  }
  keys.Truncate(size);
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_BUCKET_KEYS_H_
