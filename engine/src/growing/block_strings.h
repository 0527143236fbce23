// BlockStrings: what the blocks of a growing shard hold, read and stored. A block keeps its codes
// where there is space:
//
//   slots   all of them, at most 4 copies of each, if these are at most 32
//   marked  31 in slots 0 .. 30, slot 31 is the mark; others in the overflow line of the group; and
//           what the line has no entries for, in the side table: then the block is *undecided*,
//           which a bit in the line says
//   side    copies beyond the fourth, of any block, and what undecided blocks keep there
//
// The side table knows strings, not blocks: a string is the same at any depth, so that doubling
// leaves it as it is. Requires the lock of the shard; queries may read blocks meanwhile, if changes
// are within a BlockChange.
#ifndef TROMMEL_ENGINE_SRC_GROWING_BLOCK_STRINGS_H_
#define TROMMEL_ENGINE_SRC_GROWING_BLOCK_STRINGS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "engine/src/blocks/block_contents.h"
#include "engine/src/growing/segment.h"

namespace trommel {

// How many copies of a code count as entries.
constexpr uint64_t NumEntries(uint64_t num_copies) {
  return std::min<uint64_t>(num_copies, kernels::kMostCopiesShown);
}
inline uint64_t NumEntriesOf(const BlockContents& contents) {
  uint64_t num_entries = 0;
  for (const BlockKey& entry : contents) num_entries += NumEntries(entry.count);
  return num_entries;
}

class BlockStrings {
 public:
  // What a block holds: codes with their copies. `prefix` is the block's, of the segment's depth.
  BlockContents Read(const Segment& segment, uint64_t idx, uint64_t prefix) const;
  // Makes the block hold this, and other blocks of its group use space in their line that it
  // leaves.
  void Write(const Segment& segment, uint64_t idx, uint64_t prefix, const BlockContents& contents);

  // One copy more or less in the side table, of a string that has copies there or gets some.
  void AddCopy(uint64_t string) { side_[string] += 1; }
  bool TakeCopy(uint64_t string);  // false: it has none
  uint64_t CopiesOf(uint64_t string) const;
  // Adds copies in the side table.
  void AddCopies(uint64_t string, uint64_t count) { side_[string] += count; }
  bool has_side() const { return !side_.empty(); }
  const std::map<uint64_t, uint64_t>& side() const { return side_; }

  // The codes that match the key: does one? The longest's; 0: none does.
  static uint32_t LongestMatch(const BlockContents& contents, uint32_t key);

  // Might the block hold a key that its slots do not show, as far as the block and its line tell?
  // Thread safety: beside updates; what is read may be of different moments.
  static bool MayHoldElsewhere(const Segment& segment, uint64_t idx, uint32_t key);

  // Figures. ForgetBlocks of those that are given up; Write counts changes.
  uint64_t num_marked() const { return num_marked_; }
  uint64_t num_undecided() const { return num_undecided_; }
  uint64_t side_bytes() const { return side_.size() * kSideBytes; }
  // A segment is no longer the shard's.
  void Forget(const Segment& segment);
  void Clear();

 private:
  static constexpr uint64_t kSideBytes = 64;  // of an entry, with what the allocator adds

  // Write, but for the other blocks.
  void Store(const Segment& segment, uint64_t idx, uint64_t prefix, const BlockContents& contents);
  void StoreSide(uint64_t prefix, uint32_t depth, const BlockContents& rest);

  std::map<uint64_t, uint64_t> side_;  // copies by string
  uint64_t num_marked_ = 0;
  uint64_t num_undecided_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_BLOCK_STRINGS_H_
