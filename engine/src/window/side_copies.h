// SideCopies: the side table of stamped blocks. What a block's slots and its overflow line do not
// keep: further and older copies of the fingerprints that are shown, and all copies of those that
// are not.
//
//   record   | bucket | fingerprint (16), count (48) |       the one entry of most blocks
//            | number of a list | all ones |                 for more of them, or larger counts
//   lists    sorted vectors
#ifndef TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_
#define TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/src/blocks/block_word_map.h"
#include "engine/src/window/bucket_keys.h"

namespace trommel {

// From block index to a sorted list. Thread safety: exclusive.
class SideCopies {
 public:
  // The entries of a block, valid until the table is changed.
  class Entries {
   public:
    Entries() = default;
    explicit Entries(const BucketKey& one) : one_(one), size_(1) {}
    explicit Entries(std::span<const BucketKey> list) : list_(list), size_(list.size()) {}

    const BucketKey* begin() const { return list_.empty() ? &one_ : list_.data(); }
    const BucketKey* end() const { return begin() + size_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const BucketKey& operator[](size_t i) const { return begin()[i]; }

   private:
    BucketKey one_;
    std::span<const BucketKey> list_;
    size_t size_ = 0;
  };

  Entries Of(uint64_t block_idx) const;

  // Adds copies, and drops entries of the block that came before first_kept.
  void Add(uint64_t block_idx, const BucketKey& copies, uint64_t first_kept);
  // Removes one copy; returns whether there was one.
  bool Take(uint64_t block_idx, uint32_t fingerprint, uint64_t bucket);
  // Removes one copy of the youngest bucket of a fingerprint, and returns the bucket, unless that
  // comes before first_kept.
  std::optional<uint64_t> TakeYoungest(uint64_t block_idx, uint32_t fingerprint,
                                       uint64_t first_kept);
  // Replaces the block's entries. Requires a sorted list.
  void Put(uint64_t block_idx, std::span<const BucketKey> keys);
  void DropExpired(uint64_t block_idx, uint64_t first_kept);
  void Clear();

  uint64_t num_bytes() const;
  std::vector<uint64_t> SortedBlocks() const;

 private:
  using List = std::vector<BucketKey>;

  static constexpr uint64_t kInList = ~uint64_t{0};
  static constexpr uint64_t kMaxInlineCount = (uint64_t{1} << 47) - 1;

  template <class Changes>
  void Change(uint64_t block_idx, const Changes& changes);
  void FreeList(const uint64_t* record);

  BlockWordMap records_{2};
  std::vector<List> lists_;
  std::vector<uint64_t> free_lists_;
  uint64_t list_bytes_ = 0;  // of the lists' entries
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_
