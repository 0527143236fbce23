// GrowingShard: a 64th of a GrowingStore, which grows and shrinks by itself. It keeps digests in a
// table, or values in the blocks of segments: those of a level (growth_ladder.h), of which the
// first num_moved are at the next one already:
//
//   level 7, segments of 2 bits of prefix; level 8 has 3 bits, and two segments have been moved
//   segments_   | 000 | 001 | 010 | 011 | 10 | 11 |
//
// So a step moves at most 65,536 keys.
//
// *Queries beside steps.* A step makes new segments aside, complete, and publishes them by a
// release store of each word of the directory that leads there; a new directory, and a new digest
// table, are published in the same way. From then on the old one is never changed; it is freed
// after a grace period, which a query is inside of from before it loads the directory until it has
// read the block and its lines. Why a key that is in is never missed: take a query that misses key
// X, and what it loaded on its way, root and word. What they lead to was complete when they were
// stored (release, acquire). As long as they are the present ones, all changes of the block are in
// place, and the version of its group decides (group_versions.h): X is not in at a moment of the
// query. If they are not the present ones any more when the block is read, the block is as it was
// when they were replaced, or at a moment before that which is no earlier than any change that
// happened before the query. Changes after the replacement are made elsewhere; one of them that
// happened before the query happened after the replacement, so the query would have loaded what
// replaced them. So the query has seen the block as it was at a moment between its begin and the
// replacement.
//
// *Failures.* A step for which there is no memory, or no permission, is not done, and tried again
// some entries later, or some refused keys later if the shard is full. An insertion for which a
// limit of side memory leaves no space is refused; an erasure never needs any.
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/blocks/store.h"
#include "engine/src/growing/digest_copies.h"
#include "engine/src/growing/digest_table.h"
#include "engine/src/growing/growing_directory.h"
#include "engine/src/growing/growing_memory.h"
#include "engine/src/growing/growth_ladder.h"
#include "engine/src/growing/segment.h"
#include "engine/src/growing/segment_values.h"
#include "engine/src/growing/shard_contents.h"
#include "engine/src/sync/running_figure.h"
#include "trommel/result.h"

namespace trommel {

class GrowingStore;

// Of all shards.
struct GrowthLimits {
  uint64_t most_bytes = 0;  // of a shard's segments, or of its digest table
  uint64_t side_bytes = 0;  // of a shard's side memory, half of them for what a step makes; 0: any
};

// Thread safety: under the lock of the shard.
class alignas(64) GrowingShard {
 public:
  GrowingShard(size_t shard_idx, const GrowthLadder& ladder, const GrowthLimits& limits,
               GrowingMemory& memory, GrowingDirectory& directory);
  GrowingShard(const GrowingShard&) = delete;
  GrowingShard& operator=(const GrowingShard&) = delete;
  ~GrowingShard();

  // Makes it an empty one, of the first size, or without segments. Returns false if there is no
  // memory: then it must not be used.
  [[nodiscard]] bool Begin(bool has_first_size) noexcept;

  // Requires keys of this shard, all of them. As GrowingStore's.
  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers, uint64_t* refused);
  Fate UpdateOne(Update update, uint64_t digest);
  uint64_t CountEstimate(uint64_t digest) const;
  // As GrowingStore's.
  void FindMissing(const GrowingStore& store, std::span<const uint64_t> digests,
                   Shortfalls& shortfalls) const;

  // What limits' side_bytes, which have been changed, make of the side memory. Prepare returns
  // false, and changes nothing, if they are too few for what is in, or the system refuses them;
  // Take requires that nothing has changed since.
  [[nodiscard]] bool PrepareSideLimit(uint64_t side_bytes) noexcept;
  void TakeSideLimit() noexcept;
  void DropSideLimit() noexcept { prepared_.clear(); }

  void Clear() noexcept;
  ShardContents ReadContents() const;
  // Requires that the shard is new.
  Status WriteContents(const ShardContents& contents);

  // Entries with which a shard of this level takes no more keys.
  static uint64_t FullAt(const GrowthLevel& level) { return level.capacity * 13 / 10; }

  // Read beside updates.
  struct Figures {
    RunningFigure num_entries;
    RunningFigure num_blocks;
    RunningFigure num_marked;
    RunningFigure undecided_bins;
    RunningFigure num_bins;
    RunningFigure num_slots;
    RunningFigure side_bytes;
    RunningFigure num_bytes;  // of segments, and of the digest table
    RunningFigure num_refused_inserts;
    RunningFigure num_refused_by_side;  // of these, for lack of side memory
    RunningFigure num_refused_by_size;  // of these, because the last size was full
    RunningFigure num_refused_growths;
    RunningFigure level;       // with num_blocks
    RunningFigure next_bytes;  // NextBytes()
  };
  const Figures& figures() const { return figures_; }
  void ForgetRefusals();

 private:
  // Sums over segments.
  struct RangeSums {
    uint64_t marked = 0;
    uint64_t undecided_bins = 0;
    uint64_t side_bytes = 0;
    uint64_t copies = 0;  // in records

    static RangeSums Of(const DenseRange& range);
    RangeSums& operator+=(const RangeSums& other);
    RangeSums& operator-=(const RangeSums& other);
  };
  static constexpr int64_t kNever = -1;
  static constexpr uint64_t kRefusedUntilRetry = 256;

  bool keeps_digests() const { return segments_.empty(); }
  bool is_full() const { return num_entries_ >= full_at_; }
  uint32_t value_bits() const { return ladder_.value_bits(); }
  uint64_t ValueOf(uint64_t digest) const { return kernels::ValueOf(digest, value_bits()); }
  const GrowthLevel& level() const { return ladder_[level_]; }
  bool is_moving() const { return num_moved_ > 0; }
  // Segments of the next level that one of this level becomes.
  static uint64_t PartsOf(const GrowthLevel& level, const GrowthLevel& next) {
    return uint64_t{1} << (next.prefix_bits - level.prefix_bits);
  }
  // Requires a shard with segments. Where the segment of this value is among them.
  size_t SegmentIdx(uint64_t value) const {
    const uint64_t prefix = value >> (value_bits() - level().prefix_bits);
    if (!is_moving()) return prefix;
    const GrowthLevel& next = ladder_[level_ + 1];
    if (prefix < num_moved_) return value >> (value_bits() - next.prefix_bits);
    return prefix + num_moved_ * (PartsOf(level(), next) - 1);
  }
  struct Place {
    DenseRange* range;
    uint64_t block_idx;
    uint32_t key;
  };
  Place PlaceOf(uint64_t digest) const;
  // Calls visit(segment, prefix) for each, in order of prefixes.
  template <class Visit>
  void ForEachSegment(const Visit& visit) const;

  // --- Keys (growing_shard.cc). Without a look at whether a step is due.
  Fate UpdateDigest(Update update, uint64_t digest);
  Fate UpdateInBlock(Update update, uint64_t digest) noexcept;
  Fate UpdateBeyondBlock(Update update, uint64_t digest) noexcept;
  // By a kernel, and what that leaves by UpdateBeyondBlock. Requires that no step is due before the
  // last.
  uint64_t ApplyChunk(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                      uint64_t* answers, uint64_t* refused);
  // How many keys may be updated until a step may be due.
  uint64_t KeysUntilStep(Update update) const;
  bool EraseDigest(uint64_t string);
  void RefuseInsert(bool by_side);
  void NoteRefusedStep();
  void SetFigures();

  // --- Steps (growing_shard_steps.cc).
  // Those that are due. Called after each key, or after a chunk of keys that ends no later than
  // where a step may be due (KeysUntilStep).
  void Step() {
    if (num_entries_ >= grow_at_ || static_cast<int64_t>(num_entries_) <= fold_at_) [[unlikely]] {
      DoSteps();
    }
  }
  void DoSteps() noexcept;
  void Grow() noexcept;
  bool Fold() noexcept;
  // Moves copies from slots to records.
  void CountCopies() noexcept;
  // What follows from level_, num_moved_ and segments_: sums, thresholds and figures.
  void FollowState();
  uint64_t NextBytes() const;  // what its next step adds; 0: there is none
  bool MoveUp() noexcept;
  bool MoveDown() noexcept;
  bool BecomeBlocks() noexcept;
  void BecomeDigests() noexcept;
  bool ResizeTable(uint64_t num_lines) noexcept;
  // Replaces num_from segments, the first of which is segments_[first], by those of a level whose
  // first prefix is this one.
  bool Replace(size_t first, size_t num_from, const GrowthLevel& to, uint64_t to_prefix,
               size_t num_to) noexcept;
  // The segments of a level, not published. Returns false if there is no memory.
  bool MakeSegments(const GrowthLevel& to, const ShardValues& values,
                    std::vector<Segment>& segments) noexcept;
  void Adopt(std::vector<Segment> segments, size_t level) noexcept;
  uint64_t SideBytesOf(const GrowthLevel& of_level) const {
    return limits_.side_bytes / 2 >> of_level.prefix_bits;
  }
  void Publish(const Segment& segment, uint64_t prefix) {
    directory_.Publish(shard_idx_, segment.prefix_bits(), prefix, segment.word());
  }
  void PublishAll();
  // Bits of the directory that this state needs.
  uint32_t NeededBits() const {
    if (keeps_digests()) return 0;
    return is_moving() ? ladder_[level_ + 1].prefix_bits : level().prefix_bits;
  }
  void Free(std::span<const Segment> segments) noexcept;
  void Retire(std::span<const Segment> segments) noexcept;
  bool HasMemoryFor(size_t num_more) noexcept;  // in segments_

  Status WriteDigests(const ShardContents& contents);
  Status WriteValues(const ShardContents& contents);

  const size_t shard_idx_;
  const GrowthLadder& ladder_;
  const GrowthLimits& limits_;
  GrowingMemory& memory_;
  GrowingDirectory& directory_;

  size_t level_ = 0;
  uint64_t num_moved_ = 0;
  std::vector<Segment> segments_;  // in order of prefixes; empty: digests
  DigestTable table_;
  DigestCopies copies_;
  std::vector<DenseRange::SideMemory> prepared_;

  uint64_t num_entries_ = 0;
  RangeSums sums_;
  uint64_t segment_bytes_ = 0;
  uint64_t grow_at_ = 0;
  int64_t fold_at_ = kNever;
  uint64_t full_at_ = 0;
  Figures figures_;
};

template <class Visit>
void GrowingShard::ForEachSegment(const Visit& visit) const {
  const uint64_t num_at_next = is_moving() ? num_moved_ * PartsOf(level(), ladder_[level_ + 1]) : 0;
  for (size_t i = 0; i < segments_.size(); ++i) {
    visit(segments_[i], i < num_at_next ? i : num_moved_ + (i - num_at_next));
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWING_SHARD_H_
