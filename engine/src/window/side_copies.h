// SideCopies: the side table of stamped blocks. What a block's slots and its overflow line do not
// keep: further and older copies of the fingerprints that are shown, and all copies of those that
// are not.
//
//   record   block | root (32) | stamp below which nothing is left (32)
//   node     count | key: fingerprint, stamp (8) | nodes below it, of the next bit 0 and 1
//
// The nodes of a block are a digital search tree (Coffman and Eve 1970): below the node at depth d,
// keys are divided by their d-th bit, from the top. So a search among n random fingerprints reads
// some log2 n nodes, and never more than a key has bits. All nodes have one size: what one block
// gives back serves any other.
//
// With a limit of memory all of it is reserved, and no call allocates or frees.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_
#define TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/src/blocks/block_word_map.h"

namespace trommel {

struct StampedCopies {
  uint32_t fingerprint = 0;
  uint32_t stamp = 0;  // relative to the first bucket of the block's group, as those of slots
  uint64_t count = 0;
};

// From block index to copies. Thread safety: exclusive.
class SideCopies {
 public:
  static constexpr uint32_t kNumStamps = 256;

  // Blocks that may have entries, and entries.
  struct Space {
    uint64_t max_blocks = 0;  // 0: no limit
    uint64_t max_entries = kNone;
  };
  static uint64_t LeastBytes() { return BytesFor({1, 1}); }
  // What so many bytes, at least these, have space for. A block needs one entry at least.
  static Space SpaceWithin(uint64_t num_bytes, uint64_t num_blocks);

  explicit SideCopies(uint32_t fingerprint_bits) : SideCopies(fingerprint_bits, Space()) {}
  // May throw std::bad_alloc.
  SideCopies(uint32_t fingerprint_bits, const Space& space);
  // The same entries without a limit. May throw std::bad_alloc.
  SideCopies Unlimited() const;
  // The same entries with this limit, in no more memory than they need; nothing if there is no
  // space for them. May throw std::bad_alloc.
  std::optional<SideCopies> CopyWithin(const Space& space) const;
  bool is_limited() const { return space_.max_blocks != 0; }

  bool Has(uint64_t block_idx) const { return records_.Find(block_idx) != nullptr; }
  // Calls visit(copies) for the block's entries, in no particular order.
  template <class Visit>
  void VisitEntries(uint64_t block_idx, const Visit& visit) const {
    VisitTree(RootOf(records_.Find(block_idx)), visit);
  }
  // The copies of a fingerprint of first_stamp and later.
  uint64_t NumCopies(uint64_t block_idx, uint32_t fingerprint, uint64_t first_stamp) const;
  // The block's first fingerprint above this one; 0 if there is none.
  uint32_t FingerprintAfter(uint64_t block_idx, uint32_t fingerprint) const {
    const uint32_t n = FirstBetween(RootOf(records_.Find(block_idx)), KeyOf(fingerprint + 1, 0));
    return n == kNone ? 0 : nodes_[n].key / kNumStamps;
  }
  // The one of the block's fingerprints that is found with the least effort; 0 if it has none.
  uint32_t AnyFingerprint(uint64_t block_idx) const {
    const uint32_t root = RootOf(records_.Find(block_idx));
    return root == kNone ? 0 : nodes_[root].key / kNumStamps;
  }

  // Returns false, and adds nothing, if a limit has no space for them.
  [[nodiscard]] bool Add(uint64_t block_idx, const StampedCopies& copies);
  // Removes one copy; returns whether there was one.
  bool Take(uint64_t block_idx, uint32_t fingerprint, uint64_t stamp);
  // Removes one copy of the youngest stamp of a fingerprint, and returns the stamp, unless it is
  // below `kept`.
  std::optional<uint32_t> TakeYoungest(uint64_t block_idx, uint32_t fingerprint, uint64_t kept);
  // Drops the block's entries of stamps below `kept`, and lowers the others by `shift`, at most
  // `kept`.
  void DropExpired(uint64_t block_idx, uint64_t kept, uint64_t shift = 0);
  void Clear();
  // Without a limit, frees memory of which more than half is not used.
  void GiveBackSpare();

  uint64_t num_bytes() const { return records_.num_bytes() + nodes_.capacity() * sizeof(Node); }
  std::vector<uint64_t> SortedBlocks() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr size_t kSpareNodes = 3;  // that even a table of one entry may have

  struct Node {
    uint64_t count;
    uint32_t key;                   // KeyOf
    std::array<uint32_t, 2> below;  // of a free node: the next free one, in front
  };

  // Ascends with fingerprint and stamp. Beyond all stamps: the first key of the next fingerprint.
  static uint32_t KeyOf(uint32_t fingerprint, uint64_t stamp) {
    return fingerprint * kNumStamps + static_cast<uint32_t>(std::min<uint64_t>(stamp, kNumStamps));
  }
  static BlockWordMap EmptyRecords() { return BlockWordMap(1); }
  static uint64_t BytesFor(const Space& space) {
    return EmptyRecords().BytesFor(space.max_blocks) + space.max_entries * sizeof(Node);
  }
  static uint32_t RootOf(const uint64_t* record) {
    return record == nullptr ? kNone : static_cast<uint32_t>(*record);
  }

  uint32_t TopBit() const { return KeyOf(1U << fingerprint_bits_, 0) / 2; }  // of keys
  // The link to the key's node, or to where it would be: null, of the root or a node.
  uint32_t* LinkTo(uint32_t key, uint32_t* root);
  // The node with the first key from first_key on, and below end_key; kNone if there is none.
  uint32_t FirstBetween(uint32_t root, uint32_t first_key, uint32_t end_key = kNone) const;
  // Calls visit(copies) for all nodes; as deep as a key has bits.
  template <class Visit>
  void VisitTree(uint32_t root, const Visit& visit) const {
    if (root == kNone) return;
    const Node& node = nodes_[root];
    visit(StampedCopies{node.key / kNumStamps, node.key % kNumStamps, node.count});
    for (const uint32_t below : node.below) VisitTree(below, visit);
  }
  // Calls visit(copies) for the nodes with such keys, ascending.
  template <class Visit>
  void VisitBetween(uint64_t block_idx, uint32_t first_key, uint32_t end_key,
                    const Visit& visit) const {
    const uint32_t root = RootOf(records_.Find(block_idx));
    for (uint32_t n = FirstBetween(root, first_key, end_key); n != kNone;
         n = FirstBetween(root, nodes_[n].key + 1, end_key)) {
      const Node& node = nodes_[n];
      visit(StampedCopies{node.key / kNumStamps, node.key % kNumStamps, node.count});
    }
  }
  uint32_t NewNode(uint32_t key, uint64_t count);
  void FreeNode(uint32_t node);
  // Makes this the root of the block, which has a record; removes that if there is none.
  void SetRoot(uint64_t block_idx, uint32_t root);

  uint32_t fingerprint_bits_;
  Space space_;
  BlockWordMap records_ = EmptyRecords();
  std::vector<Node> nodes_;
  uint32_t first_free_ = kNone;
  uint64_t num_used_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_SIDE_COPIES_H_
