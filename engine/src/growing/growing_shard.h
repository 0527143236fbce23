// GrowingShard: a 64th of a GrowingStore, which grows and shrinks by itself. It keeps digests in a
// table, or codes in the blocks of segments:
//
//   depth 7 .. 11   one segment of 2^depth blocks, which doubles as a whole
//   depth 12 ..     2^(depth - 12) segments of 2^12 blocks; the first num_split of them have split
//                   into two each, of depth + 1. When all have, that is the depth
//
//   segments_   | 0.0 | 0.1 | 1.0 | 1.1 | 2 | 3 |     depth 14, num_split 2
//
// So a step moves at most 4,096 blocks to twice as many, or twice as many to them.
//
// *Queries beside steps.* A step makes new segments aside, complete, and publishes them by a
// release store of each word of the directory that leads there; a new directory, and a new digest
// table, are published in the same way. From then on the old one is never changed; it is freed
// after a grace period, which a query is inside of from before it loads the directory until it has
// read the block. Why a key that is in is never missed: take a query that misses key X, and what it
// loaded on its way, root and word. What they lead to was complete when they were stored (release,
// acquire). As long as they are the present ones, all changes of the block are in place, and the
// version of its group decides (group_versions.h): X is not in at a moment of the query. If they
// are not the present ones any more when the block is read, the block is as it was when they were
// replaced, or at a moment before that which is no earlier than any change that happened before the
// query. Changes after the replacement are made elsewhere; one of them that happened before the
// query happened after the replacement, so the query would have loaded what replaced them. So the
// query has seen the block as it was at a moment between its begin and the replacement.
// (Copies of a key that is in change nothing that queries read: the count of its string in the side
// table, and which blocks are counted.)
//
// *Failures.* A step for which there is no memory, or no permission, is not done, and tried again
// some entries later. It stores what it moves in a side table of its own, which replaces that part
// of the shard's when all has been moved. An insertion that finds no memory in the side table is
// refused; an erasure never needs any: where its block cannot be stored anew, its copy is taken out
// of it (BlockStrings::TakeOne).
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/blocks/store.h"
#include "engine/src/growing/block_strings.h"
#include "engine/src/growing/digest_table.h"
#include "engine/src/growing/growing_directory.h"
#include "engine/src/growing/growing_memory.h"
#include "engine/src/growing/segment.h"
#include "engine/src/growing/shard_contents.h"
#include "engine/src/sync/running_figure.h"
#include "kernels/kernels.h"
#include "trommel/result.h"

namespace trommel {

class GrowingStore;

struct GrowthLimits {
  uint32_t first_bits = 7;
  uint32_t most_doublings = 14;
  uint64_t most_bytes = 0;  // of a shard
};

// Thread safety: under the lock of the shard.
class alignas(64) GrowingShard {
 public:
  // Digests in a table, before it becomes the blocks of depth 7, which take less memory then.
  static constexpr uint64_t kMostDigests = 832;

  GrowingShard(size_t shard_idx, const GrowthLimits& limits, GrowingMemory& memory,
               GrowingDirectory& directory);
  GrowingShard(const GrowingShard&) = delete;
  GrowingShard& operator=(const GrowingShard&) = delete;
  ~GrowingShard();

  // Makes it an empty one. Returns false if there is no memory: then it must not be used.
  [[nodiscard]] bool Begin() noexcept;

  // Requires keys of this shard, all of them. As GrowingStore's.
  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers, uint64_t* refused);
  Fate UpdateOne(Update update, uint64_t digest);
  uint64_t CountEstimate(uint64_t digest) const;
  // As GrowingStore's.
  void FindMissing(const GrowingStore& store, std::span<const uint64_t> digests,
                   Shortfalls& shortfalls) const;

  // Are at most half of so many entries in? 0: no limit.
  bool IsWithinSide(size_t max_nodes) const {
    return max_nodes == 0 || strings_.side_entries() <= max_nodes / 2;
  }
  // Reserves so many entries of the side table, half of them for steps. Requires that they are
  // enough. Returns false, and changes nothing, if the system refuses them.
  [[nodiscard]] bool LimitSide(size_t max_nodes) noexcept;

  void Clear() noexcept;
  // In place of Begin: makes it one that holds what the other does, in the same blocks, with the
  // same figures. Returns false if there is no memory: then it must not be used.
  [[nodiscard]] bool BeginAs(const GrowingShard& other) noexcept;
  // Adds what another one holds, which is not this one. Returns false if a limit or the system
  // refuses a part of it: then some of it is in, and some not.
  [[nodiscard]] bool Merge(const GrowingShard& other) noexcept;
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
    RunningFigure num_refused_by_side;  // of these, for lack of memory in the side table
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

  bool keeps_digests() const { return depth_ == 0; }
  bool is_full() const { return num_entries_ >= full_at_; }
  // The bits of a segment's prefix.
  static uint32_t PrefixBits(const Segment& segment) { return segment.depth() - segment.bits(); }
  // Requires a shard with blocks.
  const Segment& SegmentOf(uint64_t y) const {
    const uint32_t prefix_bits = depth_ - std::min(depth_, kernels::kMaxSegmentBits);
    const uint64_t prefix = PrefixOf(y, prefix_bits);
    return segments_[prefix < num_split_ ? PrefixOf(y, prefix_bits + 1) : num_split_ + prefix];
  }
  Place PlaceOf(uint64_t y) const;
  // Calls visit(segment, prefix of its first block) for each, in order of prefixes.
  template <class Visit>
  void ForEachSegment(const Visit& visit) const {
    for (uint64_t i = 0; i < segments_.size(); ++i) {
      const uint64_t prefix = i < 2 * num_split_ ? i : i - num_split_;
      visit(segments_[i], prefix << segments_[i].bits());
    }
  }

  // --- One key (growing_shard.cc). Without a look at whether a step is due.
  Fate UpdateDigest(Update update, uint64_t string);
  Fate UpdateSlowly(Update update, uint64_t y) noexcept;
  // Throws std::bad_alloc, and has changed nothing then.
  Fate UpdateContents(Update update, uint64_t y);
  // Adds copies of a code, at the code of the block that begins it; or as a code of its own, in
  // place of those that it begins, if the shard is not full. Returns whether they are in.
  bool Add(const Place& place, uint32_t code, uint64_t count) noexcept;
  bool AddDigest(uint64_t string, uint64_t count);
  bool EraseDigest(uint64_t string);
  // Without memory.
  bool EraseInPlace(const Place& place) noexcept;
  bool NoSideMemory();  // counts it; false
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
  void Publish(const Segment& segment, uint64_t prefix) {
    directory_.Publish(shard_idx_, PrefixBits(segment), prefix, segment.word());
  }
  // The bits of the directory that this state needs.
  static uint32_t NeededBits(uint32_t depth, uint64_t num_split) {
    return depth - std::min(depth, kernels::kMaxSegmentBits) + uint32_t{num_split > 0};
  }
  void PublishAll();
  // What they move goes to `moved`, and `from` stays as it is. Return false if there is no memory.
  bool MoveToDoubled(const Segment& from, uint64_t prefix, std::span<const Segment> to,
                     BlockStrings& moved) const noexcept;
  // Sets the number of entries that is left.
  bool MoveToFolded(std::span<const Segment> from, uint64_t prefix, const Segment& to,
                    BlockStrings& moved, uint64_t& num_entries) const noexcept;
  // All strings, in the blocks of an empty segment. Returns false if there is no memory.
  bool MoveToBlocks(const Segment& segment, BlockStrings& moved,
                    uint64_t& num_entries) const noexcept;
  // Segments for this state, empty and not published; false: no memory.
  bool MakeSegments(uint32_t depth, uint64_t num_split, std::vector<Segment>& segments) noexcept;
  // So many empty segments. Returns false if there is no memory, after some of them, perhaps.
  bool Append(size_t count, uint32_t depth, uint32_t bits, std::vector<Segment>& segments) noexcept;
  void Free(std::span<const Segment> segments) noexcept;
  void Retire(std::span<const Segment> segments) noexcept;
  bool HasSpaceForOneMore() noexcept;  // in segments_
  // Publishes this in place of what there is, which is retired. Requires the depth of the new.
  struct State {
    std::vector<Segment> segments;
    DigestTable table;
  };
  void Replace(State state);

  Status CheckContents(const ShardContents& contents) const;
  Status WriteDigests(const ShardContents& contents);
  Status WriteBlocks(const ShardContents& contents);

  const size_t shard_idx_;
  const GrowthLimits& limits_;
  GrowingMemory& memory_;
  GrowingDirectory& directory_;

  uint32_t depth_ = 0;  // 0: digests
  uint64_t num_split_ = 0;
  std::vector<Segment> segments_;  // in order of prefixes
  DigestTable table_;
  SideNodes side_nodes_;
  BlockStrings strings_{side_nodes_};

  uint64_t num_entries_ = 0;
  uint64_t grow_at_ = 0;
  int64_t fold_at_ = kNever;
  uint64_t full_at_ = 0;
  Figures figures_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_
