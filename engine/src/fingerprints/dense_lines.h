// DenseLines: the overflow lines of one range of dense blocks (kernels/dense_layout.h), which has a
// number of lines of its own.
//
// The lines are a ring. A block's *home* is where it is among the blocks, scaled to the lines. An
// entry is in one of two lines near the home, which follow from its block and from its key's group
// of two bins:
//
//   home          block x lines / blocks
//   order         block - first block of that home, below 16
//   first line    home + near(order, group)    tag: order
//   second line   home + far(order, group)     tag: order + 16
//
// Distances are below 64. A line's index, an entry's tag and its key give the entry's block, so 5
// bits of tag are enough for any number of lines. A block has as many pairs of lines as groups that
// are cut: with one pair for all bins it could have at most 48 entries.
//
// *Queries beside updates.* An update of one block moves entries of others, too: the last of a line
// into a hole, and one to its other line where both lines of a key are full. So lines have versions
// of their own, one per 64 (kernels/group_versions.h), and each store of an entry is a change of
// them. An entry that moves is in its new line before it leaves the old one: so it is in one of the
// two at every moment, and a query that reads both between two looks at unchanged versions finds
// it.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_LINES_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_LINES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/src/base/block_memory.h"
#include "engine/src/base/inline_vector.h"
#include "kernels/dense_line.h"
#include "kernels/group_versions.h"
#include "trommel/result.h"

namespace trommel {

using kernels::DenseLayout;

// Keys of one block, in any order.
using DenseKeys = InlineVector<uint32_t, 64>;

class DenseLines {
 public:
  // Empty lines. Requires LeastLines. Fails with kOutOfMemory if the system refuses.
  static Result<DenseLines> Create(const DenseLayout& layout, uint64_t num_blocks,
                                   uint64_t num_lines);
  static uint64_t LeastLines(uint64_t num_blocks) {
    return (num_blocks + kernels::kMaxBlocksPerLine - 1) / kernels::kMaxBlocksPerLine;
  }

  uint64_t num_blocks() const { return num_blocks_; }
  uint64_t num_lines() const { return num_lines_; }
  uint64_t num_entries() const { return num_entries_; }
  uint64_t num_places() const { return num_lines_ * num_in_line_; }
  // The bin behind this one's group.
  uint32_t EndOfGroup(uint32_t bin) const {
    return std::min(((bin >> kGroupBits) + 1) << kGroupBits, layout_.shape.bins);
  }

  // Puts an entry into one of its lines: into that with fewer entries, the first of equals; or,
  // where both are full, where an entry can move to its other line; of kMoveTries entries, the
  // first. Returns false, and changes nothing, if there is no place.
  [[nodiscard]] bool Put(uint64_t block_idx, uint32_t key);
  // The free places of the key's two lines.
  uint32_t FreePlaces(uint64_t block_idx, uint32_t key) const;
  void Prefetch(uint64_t block_idx, uint32_t key) const {
    for (const uint64_t line_idx : PlacesOf(block_idx, key).line) {
      __builtin_prefetch(LineAt(line_idx));
    }
  }
  bool Holds(uint64_t block_idx, uint32_t key) const;
  // The same beside updates; nothing if they have changed the lines meanwhile.
  std::optional<bool> HoldsBesideUpdates(uint64_t block_idx, uint32_t key) const;
  // Removes an entry with the key; returns whether there was one.
  bool Take(uint64_t block_idx, uint32_t key);
  // The block's entries of `key`'s group, by line; until lines change.
  struct Group;
  Group ReadGroup(uint64_t block_idx, uint32_t key) const;
  // Removes those of a group whose keys are below `end`.
  void TakeBelow(const Group& group, uint32_t end);

  // Calls use(block_idx, key) for each entry, line by line.
  template <class Use>
  void ForEach(const Use& use) const {
    for (uint64_t line_idx = 0; line_idx < num_lines_; ++line_idx) {
      const uint32_t num_entries = kernels::NumDenseEntries(LineAt(line_idx));
      for (uint32_t i = 0; i < num_entries; ++i) {
        const kernels::DenseEntry entry = kernels::DenseEntryAt(num_in_line_, LineAt(line_idx), i);
        use(BlockOf(line_idx, entry), entry.key);
      }
    }
  }
  void Clear() {
    memory_.Clear();
    num_entries_ = 0;
  }
  const BlockMemory& memory() const { return memory_; }
  static constexpr uint64_t kLineBytes = 64;

 private:
  static constexpr uint64_t kLineWords = kLineBytes / sizeof(uint32_t);
  static constexpr uint32_t kMoveTries = 8;
  // Bins share their lines in twos: by itself each would cost half again as many reads of lines
  // when bins return; groups of four leave 0.4 %, of sixteen 31 % of the queries undecided at 1.9
  // times the capacity.
  static constexpr uint32_t kGroupBits = 1;
  static constexpr uint64_t kWindow = 64;
  static constexpr uint32_t kSecond = 16;  // in a tag

  // Division by a number that stays, as a product.
  class Divisor {
   public:
    explicit Divisor(uint64_t divisor = 1) : divisor_(divisor), inverse_(~uint64_t{0} / divisor) {}
    uint64_t Divide(uint64_t number) const {
      const auto product = kernels::DenseWord{number} * inverse_;
      const auto quotient = static_cast<uint64_t>(product >> 64);  // or one less
      return quotient + (number - quotient * divisor_ >= divisor_ ? 1 : 0);
    }

   private:
    uint64_t divisor_;
    uint64_t inverse_;
  };

  struct Places {
    uint64_t line[2];
    uint32_t tag[2];
  };

  // How far its lines are from a block's home.
  struct Distances {
    uint64_t near;
    uint64_t far;
  };
  // A change of a line's entries, while it lives.
  kernels::GroupChange ChangeOf(uint64_t line_idx) const {
    return kernels::GroupChange(&versions_[line_idx / kernels::kGroupBlocks]);
  }
  Distances DistancesOf(uint32_t order, uint32_t key) const;
  uint32_t GroupOf(uint32_t key) const { return layout_.BinOf(key) >> kGroupBits; }
  Places PlacesOf(uint64_t block_idx, uint32_t key) const;
  uint64_t BlockOf(uint64_t line_idx, const kernels::DenseEntry& entry) const;
  // The first block with this home.
  uint64_t FirstBlockOf(uint64_t home) const {
    return per_line_.Divide(home * num_blocks_ + num_lines_ - 1);
  }
  uint32_t* LineAt(uint64_t line_idx) const { return memory_.data() + kLineWords * line_idx; }
  uint32_t NumIn(uint64_t line_idx) const { return kernels::NumDenseEntries(LineAt(line_idx)); }
  // The block's entries in its first (0) or second line, and the one with the key, or -1.
  kernels::DenseTagged EntriesOf(const Places& places, size_t i) const {
    return kernels::DenseEntriesOf(num_in_line_, LineAt(places.line[i]), places.tag[i]);
  }
  int Find(const Places& places, size_t i, uint32_t key) const;

  DenseLayout layout_{};
  uint64_t num_blocks_ = 0;
  uint64_t num_lines_ = 0;
  uint32_t num_in_line_ = 0;  // entries, at most
  uint64_t num_entries_ = 0;
  Divisor per_block_;
  Divisor per_line_;
  BlockMemory memory_;
  std::unique_ptr<uint64_t[]> versions_;
};

struct DenseLines::Group {
  void AppendTo(DenseKeys& keys) const {
    for (const kernels::DenseTagged& of_line : entries) {
      for (const auto& entry : of_line) keys.push_back(entry.key);
    }
  }

  Places places;
  std::array<kernels::DenseTagged, 2> entries;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_LINES_H_
