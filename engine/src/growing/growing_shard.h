// GrowingShard: a 64th of a GrowingStore, which grows and shrinks by itself. It keeps digests in a
// table, or codes in the blocks of segments:
//
//   depth 7 .. 11   one segment of 2^depth blocks, which doubles as a whole
//   depth 12 ..     2^(depth - 12) segments of 2^12 blocks; the first num_split of them have split
//                   into two each, of depth + 1. When all have, that is the depth
//
//   directory   | 00 | 01 | 02 | 03 | 04 | 04 | 05 | 05 |     depth 14, num_split 2
//
// So a step moves at most 4,096 blocks to twice as many, or twice as many to them.
//
// *Queries beside steps.* A step makes new segments aside, complete, and publishes them by a
// release store of each word that leads there; a new directory or digest table is published by the
// root in the same way. From then on the old one is never changed; it is freed after a grace
// period, which a query is inside of from before it loads the root until it has read the block. Why
// a key that is in is never missed: take a query that misses key X, and the words that it loaded,
// root and directory word. What they lead to was complete when they were stored (release, acquire).
// As long as they are the present ones, all changes of what they lead to are in place, and the
// version of the group decides (group_versions.h): X is not in at a moment of the query. If they
// are not the present ones any more when the block is read, what they lead to is as it was when
// they were replaced, or as it was at a moment before, which is later than any change that happened
// before the query: a change after that is made elsewhere, by a thread that saw the replacement; if
// it happened before the query, so did the replacement, and the query would have loaded the new
// words. So the query has seen the block as it was at a moment between its begin and the
// replacement.
//
// *Failures.* A step for which there is no memory, or no permission, is not done, and tried again
// some entries later. Side tables that find no memory end the program.
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/src/blocks/key_store.h"
#include "engine/src/growing/block_strings.h"
#include "engine/src/growing/digest_table.h"
#include "engine/src/growing/growing_memory.h"
#include "engine/src/growing/segment.h"
#include "engine/src/growing/shard_contents.h"
#include "engine/src/sync/running_figure.h"
#include "kernels/kernels.h"
#include "trommel/result.h"

namespace trommel {

struct GrowthLimits {
  uint32_t first_bits = 7;
  uint32_t most_doublings = 14;
  uint64_t most_bytes = 0;  // of a shard
};

// Thread safety: under the lock of the shard.
class alignas(64) GrowingShard {
 public:
  // Digests in a table, before it becomes the blocks of depth 7.
  static constexpr uint64_t kMostDigests = 1280;

  // `root` is the shard's word among `blocks`, and 0 before.
  GrowingShard(const GrowthLimits& limits, GrowingMemory& memory,
               const kernels::GrowingBlocks& blocks, uint64_t& root);
  GrowingShard(const GrowingShard&) = delete;
  GrowingShard& operator=(const GrowingShard&) = delete;
  ~GrowingShard();

  // Makes it an empty one. Returns false if there is no memory: then it must not be used.
  [[nodiscard]] bool Begin() noexcept;

  enum class Fate : uint8_t { kUnchanged, kChanged, kRefused };
  // Requires keys of this shard, all of them. As GrowingStore's.
  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers, uint64_t* refused);
  Fate UpdateOne(Update update, uint64_t digest);
  uint64_t CountEstimate(uint64_t digest) const;

  void Clear() noexcept;
  uint64_t Merge(const GrowingShard& other) noexcept;
  ShardContents ReadContents() const;
  // Requires that the shard is new.
  Status WriteContents(const ShardContents& contents);
  std::array<uint64_t, 16> Tally() const;

  // Read beside updates.
  struct Figures {
    RunningFigure num_entries;
    RunningFigure num_blocks;
    RunningFigure num_marked;
    RunningFigure num_undecided;
    RunningFigure side_bytes;
    RunningFigure num_refused_inserts;
    RunningFigure num_refused_growths;
  };
  const Figures& figures() const { return figures_; }
  void ForgetRefusals();
  // The bytes that its next step adds; 0: none is allowed.
  uint64_t NextBytes() const;

  // Bytes of the segments of a shard of this depth, of which so many have split.
  static uint64_t BytesAt(uint32_t depth, uint64_t num_split);
  static uint64_t NumSegments(uint32_t depth) {
    return uint64_t{1} << (depth < kernels::kMaxSegmentBits ? 0 : depth - kernels::kMaxSegmentBits);
  }
  // The numbers of entries at which the next segment splits, and at which the last one that did is
  // folded. Of a segment that is alone: 21.5 and 8 per block.
  static uint64_t SplitsAt(uint32_t depth, uint64_t num_split);
  static uint64_t FoldsAt(uint32_t depth, uint64_t num_split);

 private:
  // Of what an update, a step, or all of a shard is about.
  struct Place {
    Segment segment;
    uint64_t idx;
    uint64_t prefix;
    uint32_t key;
  };
  static constexpr int64_t kNever = -1;

  static uint64_t DirectoryBytes(uint32_t bits) {
    return std::max<uint64_t>(64, sizeof(uint64_t) << bits);
  }
  bool keeps_digests() const { return depth_ == 0; }
  bool is_full() const { return num_entries_ >= full_at_; }
  Segment SegmentOf(uint64_t y) const {
    return Segment(directory_[kernels::DirectoryIndex(y, directory_bits_)]);
  }
  Place PlaceOf(uint64_t y) const;
  // Calls visit(segment, prefix of its first block) for each, in order of prefixes.
  template <class Visit>
  void ForEachSegment(const Visit& visit) const;

  // --- One key (growing_shard.cc). Without a look at whether a step is due.
  Fate UpdateDigest(Update update, uint64_t string);
  Fate UpdateSlowly(Update update, uint64_t y);
  // Copies of a code in a block, as far as the shard is not full. Returns whether they are in.
  bool Add(const Place& place, uint32_t code, uint64_t count);
  bool AddDigest(uint64_t string, uint64_t count);
  bool EraseDigest(uint64_t string);
  void SetFigures();

  // --- Steps (growing_shard_steps.cc).
  // Those that are due. Called after each key.
  void Step() {
    if (num_entries_ >= grow_at_ || static_cast<int64_t>(num_entries_) <= fold_at_) [[unlikely]] {
      DoSteps();
    }
  }
  void DoSteps() noexcept;
  bool Grow() noexcept;
  bool Fold() noexcept;
  void SetThresholds();
  bool SplitOne() noexcept;
  bool FoldOne() noexcept;
  bool BecomeBlocks() noexcept;
  void BecomeDigests() noexcept;
  bool ResizeTable(uint64_t num_lines) noexcept;
  bool DoubleDirectory() noexcept;
  void HalveDirectory() noexcept;
  // Stores the segment's word at each index of the directory that leads to it.
  void Publish(const Segment& segment, uint64_t segment_idx);
  void PublishRoot();
  void MoveToDoubled(const Segment& from, uint64_t prefix, const std::array<Segment, 2>& to);
  void MoveToFolded(const std::array<Segment, 2>& from, uint64_t prefix, const Segment& to);
  // Segments and a directory for this state, empty and not published; false: no memory.
  bool MakeBlocks(uint32_t depth, uint64_t num_split, uint64_t*& directory,
                  uint32_t& directory_bits) noexcept;
  void Retire();

  Status CheckContents(const ShardContents& contents) const;
  Status WriteDigests(const ShardContents& contents);
  Status WriteBlocks(const ShardContents& contents);

  const GrowthLimits& limits_;
  GrowingMemory& memory_;
  const kernels::GrowingBlocks blocks_;
  uint64_t& root_;

  uint32_t depth_ = 0;  // 0: digests
  uint64_t num_split_ = 0;
  uint64_t* directory_ = nullptr;
  uint32_t directory_bits_ = 0;
  DigestTable table_;
  BlockStrings strings_;

  uint64_t num_entries_ = 0;
  uint64_t grow_at_ = 0;
  int64_t fold_at_ = kNever;
  uint64_t full_at_ = 0;
  Figures figures_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_
