// SideCopies: the side table of stamped blocks. What a block's slots and its overflow line do not
// keep: further and older copies of the fingerprints that are shown, and all copies of those that
// are not.
//
//   record   | bucket | fingerprint (16), count (48) |       the one entry of most blocks
//            | number of a list | all ones |                 for more of them, or larger counts
//   lists    sorted vectors
//
// With a limit of memory it is all in a SidePool.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_
#define TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/src/blocks/block_word_map.h"
#include "engine/src/window/bucket_keys.h"
#include "engine/src/window/side_pool.h"

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

  SideCopies() = default;
  SideCopies(SideCopies&&) = default;
  SideCopies& operator=(SideCopies&&) = default;
  ~SideCopies() = default;

  // The same entries without a limit. May throw std::bad_alloc.
  SideCopies Unlimited() const;
  // Those of first_live and later with a limit; nothing if it has no space for them. May throw
  // std::bad_alloc.
  std::optional<SideCopies> LimitedTo(const SidePool::Space& space, uint64_t first_live) const;
  bool is_limited() const { return pool_ != nullptr; }

  // Requires that there is no limit.
  Entries Of(uint64_t block_idx) const;
  bool Has(uint64_t block_idx) const {
    return is_limited() ? pool_->Has(block_idx) : records_.Find(block_idx) != nullptr;
  }
  // Calls visit(entry) for the block's entries, ascending.
  template <class Visit>
  void VisitEntries(uint64_t block_idx, const Visit& visit) const {
    if (is_limited()) return pool_->VisitEntries(block_idx, visit);
    for (const BucketKey& copies : Of(block_idx)) visit(copies);
  }
  // The copies of a fingerprint of first_bucket and later.
  uint64_t NumCopies(uint64_t block_idx, uint32_t fingerprint, uint64_t first_bucket) const;

  // Adds copies, and drops entries of the block that came before first_kept. Returns false, and
  // adds nothing, if a limit has no space for them.
  [[nodiscard]] bool Add(uint64_t block_idx, const BucketKey& copies, uint64_t first_kept);
  // Removes one copy; returns whether there was one.
  bool Take(uint64_t block_idx, uint32_t fingerprint, uint64_t bucket);
  // Removes one copy of the youngest bucket of a fingerprint, and returns the bucket, unless that
  // comes before first_kept.
  std::optional<uint64_t> TakeYoungest(uint64_t block_idx, uint32_t fingerprint,
                                       uint64_t first_kept);
  // Replaces the block's entries. Requires a sorted list, and no limit.
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

  std::unique_ptr<SidePool> pool_;  // with a limit; then all that follows is empty
  BlockWordMap records_{2};
  std::vector<List> lists_;
  std::vector<uint64_t> free_lists_;
  uint64_t list_bytes_ = 0;  // of the lists' entries
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_
