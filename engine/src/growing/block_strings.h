// BlockStrings: what the blocks of a growing shard hold, read and stored. No code of a block begins
// another one, and each has a count. A block keeps its codes where there is space:
//
//   slots   all of them, each once, if they are at most 32
//   marked  31 in slots 0 .. 30, slot 31 is the mark; others in the overflow line of the group; and
//           what the line has no entries for, in the side table: then the block is *undecided*,
//           which a bit in the line says
//   side    copies beyond the first, of any block, and what undecided blocks keep there: a block
//           with either is *counted*, which a bit beside its group's version says
//
// The side table (side_strings.h) knows strings, not blocks: a string is the same at any depth, so
// that doubling leaves it as it is. Requires the lock of the shard; queries may read blocks
// meanwhile, if changes are within a BlockChange.
//
// *Memory.* What needs memory says so, and has changed nothing, where there is none. A block that
// is stored anew may need more entries than it had, also with a key less, because other keys are
// shown then; TakeOne never does.
#ifndef TROMMEL_ENGINE_SRC_GROWING_BLOCK_STRINGS_H_
#define TROMMEL_ENGINE_SRC_GROWING_BLOCK_STRINGS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/src/blocks/block_contents.h"
#include "engine/src/growing/segment.h"
#include "engine/src/growing/side_strings.h"

namespace trommel {

class BlockStrings {
 public:
  // Nodes of the side table's entries, which must outlive it.
  explicit BlockStrings(SideNodes& nodes) : side_(nodes) {}

  // What a block holds: codes with their counts. `prefix` is the block's, of the segment's depth.
  // Throws std::bad_alloc where the contents are more than fit BlockContents itself.
  BlockContents Read(const Segment& segment, uint64_t idx, uint64_t prefix) const;
  // Calls visit(code, copies) for what it holds, in no order, a code more than once.
  template <class Visit>
  void ForEach(const Segment& segment, uint64_t idx, uint64_t prefix, const Visit& visit) const;
  // Makes the block hold this, and other blocks of its group use space in their line that it
  // leaves.
  [[nodiscard]] bool Write(const Segment& segment, uint64_t idx, uint64_t prefix,
                           const BlockContents& contents) noexcept;

  // Returns the code that matches the key; 0: none does.
  uint32_t MatchOf(const Segment& segment, uint64_t idx, uint64_t prefix,
                   uint32_t key) const noexcept;
  // Adds copies of a code that the block has. Returns false, and changes nothing, if there is no
  // memory.
  [[nodiscard]] bool AddCopies(const Segment& segment, uint64_t idx, uint64_t prefix, uint32_t code,
                               uint64_t count) noexcept;
  // Takes a copy of a code that the block has, without storing the block anew. Returns whether it
  // was the last one.
  bool TakeOne(const Segment& segment, uint64_t idx, uint64_t prefix, uint32_t code) noexcept;
  // Takes one that is in the side table, if it is not the last one. Returns whether it did.
  bool TakeCopy(const Segment& segment, uint64_t idx, uint64_t prefix, uint32_t code) noexcept;

  // Copies of whole digests, which have no blocks.
  bool TakeCopy(uint64_t string) noexcept { return side_.TakeOne(string); }  // false: it has none
  uint64_t CopiesOf(uint64_t string) const { return side_.CopiesOf(string); }
  [[nodiscard]] bool AddCopies(uint64_t string, uint64_t count) noexcept {
    return side_.Add(string, count);
  }
  bool has_side() const { return !side_.empty(); }
  const SideStrings::Map& side() const { return side_.all(); }

  // Might the block hold a key that its slots do not show, as far as the block and its line tell?
  // Thread safety: beside updates; what is read may be of different moments.
  static bool MayHoldElsewhere(const Segment& segment, uint64_t idx, uint32_t key);

  // Figures, which Write and Forget change.
  uint64_t num_marked() const { return num_marked_; }
  uint64_t num_undecided() const { return num_undecided_; }
  size_t side_entries() const { return side_.size(); }
  // The segment is no longer the shard's: removes what its blocks have in the side table, or its
  // marked ones. Then TakeAll adds what a step has stored elsewhere in their place. Requires the
  // same nodes.
  enum class Moved : uint8_t { kAll, kMarked };
  void Forget(const Segment& segment, uint64_t prefix, Moved which) noexcept;
  void TakeAll(BlockStrings& moved) noexcept;
  // Says of the blocks of a segment, the first of which has this prefix, which are counted.
  void NoteCounted(const Segment& segment, uint64_t prefix) const noexcept;
  // Of copies of the other one's blocks. Requires that it is empty. Returns false, with part of
  // them, if there is no memory.
  [[nodiscard]] bool CopyFrom(const BlockStrings& other) noexcept;
  void Clear();

 private:
  // Write, but for the other blocks. Throws std::bad_alloc, and has changed nothing then.
  bool Store(const Segment& segment, uint64_t idx, uint64_t prefix, const BlockContents& contents);
  // Blocks that have keys in the side table use free entries of their line.
  void ShowOthers(const Segment& segment, uint64_t idx, uint64_t prefix);
  // Takes one from the side table, if the string has some there.
  bool TakeFromSide(const Segment& segment, uint64_t idx, uint64_t prefix,
                    uint64_t string) noexcept;
  // Is the code in a slot or in the line?
  static bool IsShown(const Segment& segment, uint64_t idx, uint32_t code) noexcept;
  bool HasSpaceFor(uint64_t prefix, uint32_t depth, const BlockContents& rest) noexcept;
  void StoreSide(uint64_t prefix, uint32_t depth, const BlockContents& rest) noexcept;

  SideStrings side_;  // copies by string
  uint64_t num_marked_ = 0;
  uint64_t num_undecided_ = 0;
};

template <class Visit>
void BlockStrings::ForEach(const Segment& segment, uint64_t idx, uint64_t prefix,
                           const Visit& visit) const {
  const uint32_t* block = segment.BlockAt(idx);
  const bool is_marked = kernels::IsMarkedGrowing(block);
  for (size_t i = 0; i < kernels::kWideSlots - size_t{is_marked}; ++i) {
    const uint32_t code = kernels::WideSlot(block, i);
    if (code != 0) visit(code, uint64_t{1});
  }
  const OverflowLine& line = segment.LineOf(idx);
  for (size_t i = 0; i < kLineEntries && is_marked; ++i) {
    if (IsOf(line, i, idx)) visit(uint32_t{line.keys[i]}, uint64_t{1});
  }
  if (!segment.IsCounted(idx)) return;
  const uint32_t depth = segment.depth();
  for (auto at = side().lower_bound(StringOf(prefix, depth, 0));
       at != side().end() && PrefixOf(at->first, depth) == prefix; ++at) {
    visit(CodeAt(at->first, depth), at->second);
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_BLOCK_STRINGS_H_
