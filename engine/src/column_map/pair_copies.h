// PairCopies: how often pairs of a stripe were inserted beyond the first time.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_PAIR_COPIES_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_PAIR_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <unordered_map>

#include "engine/src/sync/running_figure.h"

namespace trommel {

struct PairKey {
  uint64_t block_idx;
  uint32_t fingerprint;
  uint32_t column;
  friend bool operator==(const PairKey&, const PairKey&) = default;
};

// Thread safety: under the lock of the stripe, but for num_bytes.
class PairCopies {
 public:
  bool empty() const { return copies_.empty(); }
  uint64_t NumOf(const PairKey& key) const {
    const auto found = copies_.find(key);
    return found == copies_.end() ? 0 : found->second;
  }
  // Returns false, and changes nothing, if the system refuses memory.
  [[nodiscard]] bool Add(const PairKey& key, uint64_t num_copies) noexcept try {
    copies_[key] += num_copies;
    SetBytes();
    return true;
  } catch (const std::bad_alloc&) {
    SetBytes();  // there may be more buckets
    return false;
  }
  // Takes one away. Returns false if there is none.
  bool TakeOne(const PairKey& key) noexcept {
    const auto found = copies_.find(key);
    if (found == copies_.end()) return false;
    if (--found->second == 0) {
      copies_.erase(found);
      SetBytes();
    }
    return true;
  }
  void Forget(const PairKey& key) noexcept {
    if (copies_.erase(key) != 0) SetBytes();
  }
  uint64_t num_bytes() const { return num_bytes_.Get(); }

 private:
  struct KeyHash {
    size_t operator()(const PairKey& key) const {
      const uint64_t mixed = key.block_idx * 0x9e3779b97f4a7c15U + key.fingerprint;
      return (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9U + key.column;
    }
  };

  static constexpr uint64_t kNodeBytes = 48;  // with what the allocator adds
  static constexpr uint64_t kBucketBytes = 8;

  void SetBytes() {
    num_bytes_.Set(copies_.size() * kNodeBytes + copies_.bucket_count() * kBucketBytes);
  }

  std::unordered_map<PairKey, uint64_t, KeyHash> copies_;
  RunningFigure num_bytes_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_PAIR_COPIES_H_
