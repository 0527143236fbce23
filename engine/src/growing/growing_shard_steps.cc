// How a growing shard doubles and folds: when, segment by segment, and how each step is published.
// What moves: growing_shard_moves.cc.
#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/growing/growing_shard.h"

namespace trommel {
namespace {

using kernels::kMaxSegmentBits;
using kernels::kMinSegmentBits;

// Entries per block, times 2 or 4.
constexpr uint64_t kFirstSplit4 = 80;  // 20: the first of several segments splits
constexpr uint64_t kLastSplit2 = 43;   // 21.5: the last one, or one that is alone
constexpr uint64_t kLastFold = 8;      // the last of several segments that split is folded
constexpr uint64_t kFirstFold2 = 15;   // 7.5: the first one
constexpr uint64_t kFull = 28;

uint32_t BitsOf(uint32_t depth) { return std::min(depth, kMaxSegmentBits); }

}  // namespace

uint64_t GrowingShard::BytesAt(uint32_t depth, uint64_t num_split) {
  return (NumSegments(depth) + num_split) * GrowingMemory::BytesOfSegment(BitsOf(depth));
}

uint64_t GrowingShard::SplitsAt(uint32_t depth, uint64_t num_split) {
  const uint64_t num_blocks = uint64_t{1} << depth;
  const uint64_t num_segments = NumSegments(depth);
  if (num_segments == 1) return num_blocks * kLastSplit2 / 2;
  const uint64_t blocks_before = num_blocks / num_segments * num_split;
  return (num_blocks * kFirstSplit4 + blocks_before * (2 * kLastSplit2 - kFirstSplit4)) / 4;
}

uint64_t GrowingShard::FoldsAt(uint32_t depth, uint64_t num_split) {
  const uint64_t num_doubled = uint64_t{2} << depth;
  const uint64_t num_segments = NumSegments(depth);
  if (num_segments == 1) return num_doubled * kLastFold;
  const uint64_t blocks_before = num_doubled / num_segments * (num_split - 1);
  return (num_doubled * kFirstFold2 + blocks_before * (2 * kLastFold - kFirstFold2)) / 2;
}

void GrowingShard::SetThresholds() {
  if (keeps_digests()) {
    grow_at_ = kMostDigests;
    fold_at_ = kNever;
    full_at_ = kFull << limits_.first_bits;
    figures_.num_blocks.Set(0);
    return;
  }
  grow_at_ = SplitsAt(depth_, num_split_);
  if (num_split_ > 0) {
    fold_at_ = static_cast<int64_t>(FoldsAt(depth_, num_split_));
  } else if (depth_ > limits_.first_bits) {
    fold_at_ = static_cast<int64_t>(FoldsAt(depth_ - 1, NumSegments(depth_ - 1)));
  } else {
    fold_at_ = limits_.first_bits == kMinSegmentBits ? 0 : kNever;
  }
  const uint64_t num_blocks = (uint64_t{1} << depth_) + (num_split_ << BitsOf(depth_));
  full_at_ = kFull * num_blocks;
  figures_.num_blocks.Set(num_blocks);
}

void GrowingShard::DoSteps() noexcept {
  while (num_entries_ >= grow_at_ && Grow()) {
  }
  while (static_cast<int64_t>(num_entries_) <= fold_at_ && Fold()) {
  }
  SetFigures();
}

bool GrowingShard::Grow() noexcept {
  const bool is_done = keeps_digests() ? BecomeBlocks() : SplitOne();
  if (is_done) {
    SetThresholds();
    return true;
  }
  figures_.num_refused_growths.Set(figures_.num_refused_growths.Get() + 1);
  grow_at_ = num_entries_ + std::max<uint64_t>(64, num_entries_ / 16);
  return false;
}

bool GrowingShard::Fold() noexcept {
  // An empty shard needs no memory to be as new, whatever its depth.
  const bool is_empty = num_entries_ == 0 && limits_.first_bits == kMinSegmentBits;
  if (is_empty || (depth_ == limits_.first_bits && num_split_ == 0)) {
    BecomeDigests();
  } else if (!FoldOne()) {
    fold_at_ = std::max<int64_t>(0, static_cast<int64_t>(num_entries_) - 64);
    return false;
  }
  SetThresholds();
  return true;
}

uint64_t GrowingShard::NextBytes() const {
  if (keeps_digests()) return GrowingMemory::BytesOfSegment(limits_.first_bits);
  if (depth_ - limits_.first_bits >= limits_.most_doublings) return 0;
  const uint32_t bits = BitsOf(depth_);
  if (bits == kMaxSegmentBits) return GrowingMemory::BytesOfSegment(bits);
  return GrowingMemory::BytesOfSegment(bits + 1) - GrowingMemory::BytesOfSegment(bits);
}

// --- Doubling and folding one segment.

bool GrowingShard::Append(size_t count, uint32_t depth, uint32_t bits,
                          std::vector<Segment>& segments) noexcept {
  try {
    segments.reserve(segments.size() + count);
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    std::byte* blocks = memory_.AllocateSegment(bits);
    if (blocks == nullptr) return false;
    segments.emplace_back(blocks, depth, bits);
    segments.back().Clear();
  }
  return true;
}

void GrowingShard::Free(std::span<const Segment> segments) noexcept {
  for (const Segment& segment : segments) memory_.FreeSegment(segment.bytes(), segment.bits());
}

void GrowingShard::Retire(std::span<const Segment> segments) noexcept {
  for (const Segment& segment : segments) memory_.RetireSegment(segment.bytes(), segment.bits());
}

bool GrowingShard::HasSpaceForOneMore() noexcept {
  try {
    segments_.reserve(segments_.size() + 1);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool GrowingShard::SplitOne() noexcept {
  if (depth_ - limits_.first_bits >= limits_.most_doublings) return false;
  const bool is_whole = depth_ < kMaxSegmentBits;  // it becomes one segment of twice the blocks
  const uint64_t bytes_after = is_whole ? BytesAt(depth_ + 1, 0) : BytesAt(depth_, num_split_ + 1);
  if (bytes_after > limits_.most_bytes) return false;
  const uint32_t bits = BitsOf(depth_ + 1);
  std::vector<Segment> to;
  if (!Append(is_whole ? 1 : 2, depth_ + 1, bits, to) || !HasSpaceForOneMore() ||
      !directory_.Need(shard_idx_, NeededBits(depth_ + 1, 0))) {
    Free(to);
    return false;
  }
  const uint64_t at = 2 * num_split_;  // in segments_
  const Segment from = segments_[at];
  const uint64_t prefix = num_split_ << from.bits();
  BlockStrings moved(side_nodes_);
  if (!MoveToDoubled(from, prefix, to, moved)) {
    Free(to);
    return false;
  }
  strings_.Forget(from, prefix, BlockStrings::Moved::kMarked);
  strings_.TakeAll(moved);
  for (uint64_t i = 0; i < to.size(); ++i) {
    const uint64_t to_prefix = to.size() * num_split_ + i;
    strings_.NoteCounted(to[i], to_prefix << to[i].bits());
    Publish(to[i], to_prefix);
  }
  memory_.RetireSegment(from.bytes(), from.bits());
  segments_[at] = to[0];
  if (!is_whole) segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(at) + 1, to[1]);
  num_split_ += 1;
  if (num_split_ == NumSegments(depth_)) {
    depth_ += 1;
    num_split_ = 0;
  }
  return true;
}

bool GrowingShard::FoldOne() noexcept {
  const uint32_t depth = num_split_ == 0 ? depth_ - 1 : depth_;  // of the folded segment
  const uint64_t num_split = num_split_ == 0 ? NumSegments(depth) : num_split_;
  const bool is_whole = depth < kMaxSegmentBits;
  std::vector<Segment> to;
  if (!Append(1, depth, BitsOf(depth), to)) return false;
  const uint64_t folded = num_split - 1;  // the index of the segment's prefix
  const auto first = segments_.begin() + static_cast<std::ptrdiff_t>(2 * folded);
  const auto last = first + (is_whole ? 1 : 2);
  const std::vector<Segment>& segments = segments_;
  const std::span<const Segment> from(segments.data() + 2 * folded, is_whole ? 1 : 2);
  const uint64_t prefix = folded << to[0].bits();
  BlockStrings moved(side_nodes_);
  uint64_t num_entries = 0;
  if (!MoveToFolded(from, prefix, to[0], moved, num_entries)) {
    Free(to);
    return false;
  }
  for (size_t i = 0; i < from.size(); ++i) {
    strings_.Forget(from[i], 2 * prefix + (i << from[0].bits()), BlockStrings::Moved::kAll);
  }
  strings_.TakeAll(moved);
  num_entries_ = num_entries;
  Publish(to[0], folded);
  Retire(from);
  *first = to[0];
  segments_.erase(first + 1, last);
  depth_ = depth;
  num_split_ = folded;
  (void)directory_.Need(shard_idx_, NeededBits(depth_, num_split_));
  return true;
}

bool GrowingShard::MakeSegments(uint32_t depth, uint64_t num_split,
                                std::vector<Segment>& segments) noexcept {
  const uint32_t bits = BitsOf(depth);
  if (BytesAt(depth, num_split) > limits_.most_bytes) return false;
  std::vector<Segment> made;
  if (!Append(2 * num_split, depth + 1, bits, made) ||
      !Append(NumSegments(depth) - num_split, depth, bits, made) ||
      !directory_.Need(shard_idx_, NeededBits(depth, num_split))) {
    Free(made);
    return false;
  }
  segments = std::move(made);
  return true;
}

void GrowingShard::PublishAll() {
  if (keeps_digests()) {
    directory_.PublishDigests(shard_idx_, table_);
    (void)directory_.Need(shard_idx_, 0);
    return;
  }
  ForEachSegment([this](const Segment& segment, uint64_t prefix) {
    Publish(segment, prefix >> segment.bits());
  });
  directory_.PublishNoDigests(shard_idx_);
}

// --- Digests.

bool GrowingShard::ResizeTable(uint64_t num_lines) noexcept {
  const uint64_t num_bytes = DigestTable::BytesOf(num_lines);
  if (num_bytes > limits_.most_bytes) return false;
  uint64_t* memory = memory_.Allocate(num_bytes);
  if (memory == nullptr) return false;
  DigestTable resized = DigestTable::Make(memory, num_lines);
  resized.InsertAll(table_);
  directory_.PublishDigests(shard_idx_, resized);
  memory_.Retire(table_.memory(), table_.num_bytes());
  table_ = resized;
  return true;
}

bool GrowingShard::BecomeBlocks() noexcept {
  std::vector<Segment> segments;
  const uint32_t depth = limits_.first_bits;
  if (!MakeSegments(depth, 0, segments)) return false;
  BlockStrings moved(side_nodes_);
  uint64_t num_entries = 0;
  if (!MoveToBlocks(segments[0], moved, num_entries)) {
    Free(segments);
    return false;
  }
  strings_.Clear();
  strings_.TakeAll(moved);
  num_entries_ = num_entries;
  segments_ = std::move(segments);
  depth_ = depth;
  num_split_ = 0;
  PublishAll();
  memory_.Retire(table_.memory(), table_.num_bytes());
  table_ = DigestTable();
  return true;
}

void GrowingShard::BecomeDigests() noexcept {
  const std::vector<Segment> segments = std::move(segments_);
  segments_.clear();
  strings_.Clear();
  depth_ = 0;
  num_split_ = 0;
  num_entries_ = 0;
  PublishAll();
  Retire(segments);
}

}  // namespace trommel
