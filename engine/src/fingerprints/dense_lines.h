// DenseLines: the overflow lines of one range of dense blocks (kernels/dense_layout.h), which has a
// number of lines of its own.
//
// The lines are a ring. A block's *home* is where it is among the blocks, scaled to the lines. An
// entry is in one of two lines near the home, which follow from its block and from its key's group
// of two bins:
//
//   home          block x lines / blocks
//   order         block - first block of that home, below the most blocks of a home, 1 to 16
//   code          order + that number x a hash of the block, below 16
//   first line    home + near(code, group)    tag: code
//   second line   home + far(code, group)     tag: code + 16
//
// (With the order alone all blocks would have the same distances where lines are as many as blocks,
// at homes in even steps: then some lines stay full and others empty, and the entries never come to
// the nine tenths from which on lines become more.)
//
// Distances are below 64. A line's index, an entry's tag and its key give the entry's block, so 5
// bits of tag are enough for any number of lines. A block has as many pairs of lines as groups that
// are cut: with one pair for all bins it could have at most 48 entries.
//
// *Queries beside updates.* An update of one block moves entries of others, too: the last of a line
// into a hole, and one to its other line where both lines of a key are full. So lines have versions
// of their own, one per 64 (kernels/group_versions.h), and whatever stores to a line is a change of
// them. An entry that moves is in its new line before it leaves the old one: so it is in one of the
// two at every moment, and a query that reads both between two looks at unchanged versions finds
// it.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_LINES_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_LINES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/src/base/block_memory.h"
#include "engine/src/base/inline_vector.h"
#include "kernels/dense_line.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
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
  static constexpr uint64_t LeastLines(uint64_t num_blocks) {
    return (num_blocks + kernels::kMaxBlocksPerLine - 1) / kernels::kMaxBlocksPerLine;
  }

  Result<DenseLines> Copy() const;

  uint64_t num_blocks() const { return num_blocks_; }
  uint64_t num_lines() const { return num_lines_; }
  uint64_t num_entries() const { return num_entries_; }
  uint64_t num_places() const { return num_lines_ * num_in_line_; }
  // The bin behind this one's group.
  uint32_t EndOfGroup(uint32_t bin) const {
    const uint32_t group = bin >> kernels::kDenseGroupBits;
    return std::min((group + 1) << kernels::kDenseGroupBits, layout_.shape.bins);
  }

  // Puts an entry into one of its lines: into that with fewer entries, the first of equals; or,
  // where both are full, where an entry can move to its other line; of kMoveTries entries, the
  // first. Returns false, and changes nothing, if there is no place.
  [[nodiscard]] bool Put(uint64_t block_idx, uint32_t key) {
    return Put(PairOf(block_idx, key), key);
  }
  // The two lines of a block's keys of one group.
  kernels::DensePair PairOf(uint64_t block_idx, uint32_t key) const;
  [[nodiscard]] bool Put(const kernels::DensePair& pair, uint32_t key);
  // The same, but also returns false if the key has an entry.
  [[nodiscard]] bool PutNew(const kernels::DensePair& pair, uint32_t key) {
    return Find(pair, key) == 0 && Put(pair, key);
  }
  // The free places of the key's two lines.
  uint32_t FreePlaces(uint64_t block_idx, uint32_t key) const;
  // Prefetches these lines, too.
  kernels::DensePair FetchedPairOf(uint64_t block_idx, uint32_t key) const {
    const kernels::DensePair pair = PairOf(block_idx, key);
    for (const uint32_t* line : pair.line) __builtin_prefetch(line);
    return pair;
  }
  bool Holds(uint64_t block_idx, uint32_t key) const {
    return Find(PairOf(block_idx, key), key) != 0;
  }
  // The same beside updates; nothing if they have changed the lines meanwhile.
  std::optional<bool> HoldsBesideUpdates(uint64_t block_idx, uint32_t key) const;
  // Removes an entry with the key; returns whether there was one.
  bool Take(uint64_t block_idx, uint32_t key) { return Take(PairOf(block_idx, key), key); }
  bool Take(const kernels::DensePair& pair, uint32_t key);
  // Appends the block's keys of `key`'s group, and removes those below `end`.
  void AppendGroup(uint64_t block_idx, uint32_t key, DenseKeys& keys) const;
  void TakeGroup(uint64_t block_idx, uint32_t key, uint32_t end);

  // What kernels do to a block and its lines.
  kernels::DenseCutKernels::Evicted Evict(uint32_t key, uint32_t* block,
                                          const kernels::DensePair& pair, uint32_t* left) {
    const PairChange change(*this, pair);
    const auto evicted = Kernels().evict(key, layout_.bits, block, pair, left);
    num_entries_ += evicted.num - evicted.num_left;
    return evicted;
  }
  kernels::DenseCutKernels::Pulled Pull(uint32_t* block, const kernels::DensePair& pair) {
    const PairChange change(*this, pair);
    const auto pulled = Kernels().pull(layout_.bits, block, pair);
    num_entries_ -= pulled.num;
    return pulled;
  }
  const kernels::DenseCutKernels& Kernels() const {
    return kernels::ChosenKernels().dense_cuts[shape_idx_];
  }

  // Calls use(block_idx, key) for each entry, line by line.
  template <class Use>
  void ForEach(const Use& use) const {
    for (uint64_t line_idx = 0; line_idx < num_lines_; ++line_idx) {
      const uint32_t num_entries = kernels::NumDenseEntries(LineAt(line_idx));
      for (uint32_t i = 0; i < num_entries; ++i) {
        const kernels::DenseEntry entry = EntryAt(LineAt(line_idx), i);
        use(BlockOf(line_idx, entry), entry.key);
      }
    }
  }
  void Clear() {
    memory_.Clear();
    num_entries_ = 0;
  }
  void ClearBesideQueries() {
    for (uint64_t line_idx = 0; line_idx < num_lines_; ++line_idx) {
      const auto change = ChangeOf(LineAt(line_idx));
      for (uint64_t i = 0; i < kLineWords; ++i) {
        kernels::StorePresenceWord(0, LineAt(line_idx) + i);
      }
    }
    num_entries_ = 0;
  }
  const BlockMemory& memory() const { return memory_; }
  static constexpr uint64_t kLineBytes = 64;

 private:
  static constexpr uint64_t kLineWords = kLineBytes / sizeof(uint32_t);
  static constexpr uint32_t kMoveTries = 8;
  static constexpr uint64_t kWindow = 64;
  static constexpr uint32_t kSecond = 16;  // in a tag

  // Division by a number that stays, as a product.
  class Divisor {
   public:
    explicit Divisor(uint64_t divisor = 1) : divisor_(divisor), inverse_(~uint64_t{0} / divisor) {}
    struct Parts {
      uint64_t quotient;
      uint64_t remainder;
    };
    Parts Divide(uint64_t number) const {
      const auto product = kernels::DenseWord{number} * inverse_;
      const auto quotient = static_cast<uint64_t>(product >> 64);  // or one less
      const uint64_t remainder = number - quotient * divisor_;
      const bool is_less = remainder >= divisor_;
      return {quotient + (is_less ? 1 : 0), remainder - (is_less ? divisor_ : 0)};
    }

   private:
    uint64_t divisor_;
    uint64_t inverse_;
  };

  uint64_t* VersionOf(const uint32_t* line) const {
    const auto line_idx = static_cast<uint64_t>(line - LineAt(0)) / kLineWords;
    return &versions_[line_idx / kernels::kGroupBlocks];
  }
  // A change of a line, and of a pair of lines, while it lives.
  kernels::GroupChange ChangeOf(const uint32_t* line) const {
    return kernels::GroupChange(VersionOf(line));
  }
  class PairChange {
   public:
    PairChange(const DenseLines& lines, const kernels::DensePair& pair)
        : first_(lines.VersionOf(pair.line[0])) {
      uint64_t* const second = lines.VersionOf(pair.line[1]);
      if (second != lines.VersionOf(pair.line[0])) second_.emplace(second);
    }

   private:
    kernels::GroupChange first_;
    std::optional<kernels::GroupChange> second_;
  };
  // How far its lines are from a block's home.
  struct Distances {
    uint64_t near;
    uint64_t far;
  };
  Distances DistancesOf(uint32_t code, uint32_t key) const;
  uint64_t BlockOf(uint64_t line_idx, const kernels::DenseEntry& entry) const;
  // The first block with this home.
  uint64_t FirstBlockOf(uint64_t home) const {
    return per_line_.Divide(home * num_blocks_ + num_lines_ - 1).quotient;
  }
  uint32_t* LineAt(uint64_t line_idx) const { return memory_.data() + kLineWords * line_idx; }
  uint64_t Find(const kernels::DensePair& pair, uint32_t key) const {
    return Kernels().find(pair, key, 0);
  }
  uint64_t FindGroup(const kernels::DensePair& pair, uint32_t key) const {
    return Kernels().find(pair, key, layout_.bits + kernels::kDenseGroupBits);
  }
  kernels::DenseEntry EntryAt(const uint32_t* line, uint32_t i) const {
    return kernels::DenseEntryAt(num_in_line_, line, i);
  }
  void Remove(const kernels::DensePair& pair, uint32_t i) {
    const auto change = ChangeOf(pair.line[i / 32]);
    kernels::RemoveDenseEntry(num_in_line_, pair.line[i / 32], i % 32);
    num_entries_ -= 1;
  }

  DenseLayout layout_{};
  size_t shape_idx_ = 0;
  uint64_t num_blocks_ = 0;
  uint64_t num_lines_ = 0;
  uint32_t num_in_line_ = 0;  // entries, at most
  uint64_t num_entries_ = 0;
  uint32_t num_orders_ = 1;  // the most blocks of a home
  uint32_t num_hashes_ = 1;
  Divisor per_block_;
  Divisor per_line_;
  BlockMemory memory_;
  std::unique_ptr<uint64_t[]> versions_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_LINES_H_
