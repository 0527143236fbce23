// The contents of a stamped block: a sorted multiset of (fingerprint, bucket), however it is kept.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_BUCKET_KEYS_H_
#define TROMMEL_ENGINE_SRC_WINDOW_BUCKET_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

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

// The first entry that does not come before the pair. Of contents or a std::vector of the same.
template <class Keys>
auto LowerBound(Keys& keys, uint32_t fingerprint, uint64_t bucket) {
  return std::lower_bound(keys.begin(), keys.end(), BucketKey{fingerprint, bucket, 0},
                          &ComesBefore);
}

template <class Keys>
bool IsAt(const Keys& keys, decltype(std::declval<const Keys&>().begin()) at, uint32_t fingerprint,
          uint64_t bucket) {
  return at != keys.end() && at->fingerprint == fingerprint && at->bucket == bucket;
}

template <class Keys>
void AddCopies(Keys& keys, const BucketKey& added) {
  const auto at = LowerBound(keys, added.fingerprint, added.bucket);
  if (IsAt(keys, at, added.fingerprint, added.bucket)) {
    at->count += added.count;
  } else {
    keys.insert(at, added);
  }
}

// Removes what came before first_kept.
template <class Keys>
void DropBefore(Keys& keys, uint64_t first_kept) {
  size_t size = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].bucket >= first_kept) keys[size++] = keys[i];
  }
  while (keys.size() > size) keys.erase(keys.end() - 1);
}

// Removes one copy; returns whether there was one.
template <class Keys>
bool TakeCopy(Keys& keys, uint32_t fingerprint, uint64_t bucket) {
  const auto at = LowerBound(keys, fingerprint, bucket);
  if (!IsAt(keys, at, fingerprint, bucket)) return false;
  at->count -= 1;
  if (at->count == 0) keys.erase(at);
  return true;
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

// The copies of a fingerprint of first_bucket and later.
template <class Keys>
uint64_t CopiesOf(const Keys& keys, uint32_t fingerprint, uint64_t first_bucket) {
  uint64_t count = 0;
  for (auto at = LowerBound(keys, fingerprint, first_bucket);
       at != keys.end() && at->fingerprint == fingerprint; ++at) {
    count += at->count;
  }
  return count;
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_BUCKET_KEYS_H_
