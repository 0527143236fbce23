// SidePool: the side table of stamped blocks (side_copies.h) with a limit of memory.
//
//   record   block | first node | number of nodes
//   node     | bucket | fingerprint (16), count (48) | next |      sorted, in a list per block
//
// All of it is reserved: no call allocates or frees. All nodes have one size, so that what one
// block gives back serves any other.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_SIDE_POOL_H_
#define TROMMEL_ENGINE_SRC_WINDOW_SIDE_POOL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/src/blocks/block_word_map.h"
#include "engine/src/window/bucket_keys.h"

namespace trommel {

// From block index to a sorted list of entries. Thread safety: exclusive.
class SidePool {
 public:
  // Of an owned range: blocks that may have entries, and entries.
  struct Space {
    uint64_t max_blocks = 0;
    uint64_t max_entries = 0;
  };
  static uint64_t LeastBytes() { return BytesFor({1, 1}); }
  // What so many bytes, at least these, have space for. A block needs one entry at least.
  static Space SpaceWithin(uint64_t num_bytes, uint64_t num_blocks);

  // May throw std::bad_alloc.
  explicit SidePool(const Space& space);

  // Adds copies, and drops entries of the block that came before first_kept. Returns false, and
  // adds nothing, if there is no space.
  [[nodiscard]] bool Add(uint64_t block_idx, const BucketKey& copies, uint64_t first_kept);
  // As SideCopies'.
  bool Take(uint64_t block_idx, uint32_t fingerprint, uint64_t bucket);
  std::optional<uint64_t> TakeYoungest(uint64_t block_idx, uint32_t fingerprint,
                                       uint64_t first_kept);
  void DropExpired(uint64_t block_idx, uint64_t first_kept);
  void Clear();

  bool Has(uint64_t block_idx) const { return records_.Find(block_idx) != nullptr; }
  // Calls visit(entry) for the block's entries, ascending.
  template <class Visit>
  void VisitEntries(uint64_t block_idx, const Visit& visit) const {
    const uint64_t* record = records_.Find(block_idx);
    for (uint32_t n = record == nullptr ? kNone : FirstOf(record); n != kNone; n = nodes_[n].next) {
      visit(KeyOf(nodes_[n]));
    }
  }

  uint64_t num_blocks() const { return records_.size(); }
  uint64_t num_entries() const { return num_used_; }
  uint64_t num_bytes() const { return records_.num_bytes() + nodes_.size() * sizeof(Node); }
  std::vector<uint64_t> SortedBlocks() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint64_t kMaxCount = ~uint64_t{0} >> 16;
  static constexpr size_t kRecordWords = 1;

  struct Node {
    uint64_t bucket;
    uint64_t fingerprint_and_count;
    uint32_t next;  // of the block; of a free node, the next free one
  };

  static BlockWordMap EmptyRecords() { return BlockWordMap(kRecordWords); }
  static uint64_t BytesFor(const Space& space) {
    return EmptyRecords().BytesFor(space.max_blocks) + space.max_entries * sizeof(Node);
  }
  static uint32_t FirstOf(const uint64_t* record) { return static_cast<uint32_t>(record[0]); }
  static BucketKey KeyOf(const Node& node) {
    return {.fingerprint = static_cast<uint32_t>(node.fingerprint_and_count >> 48),
            .bucket = node.bucket,
            .count = node.fingerprint_and_count & kMaxCount};
  }
  static uint64_t Packed(const BucketKey& key) {
    return uint64_t{key.fingerprint} << 48 | key.count;
  }
  // Frees the nodes of which is_gone(entry), and the record if none is left.
  template <class IsGone>
  void DropIf(uint64_t block_idx, const IsGone& is_gone);
  // What leads to a node of the block, to change it: null, of a record that there is.
  void SetNext(uint64_t* record, uint32_t before, uint32_t node);
  void FreeNode(uint32_t node);

  BlockWordMap records_ = EmptyRecords();
  std::vector<Node> nodes_;
  uint32_t first_free_ = kNone;
  uint64_t num_used_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_SIDE_POOL_H_
