// How a growing shard grows and shrinks: when, segment by segment, and how each step is published.
#include <algorithm>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/growing/growing_shard.h"

namespace trommel {
namespace {

// Of a level's capacity, in hundredths: entries at which the first of its segments is moved up, and
// the last one or one that is alone.
constexpr uint64_t kFirstUp = 97;
constexpr uint64_t kLastUp = 100;
// Of the capacity of the level below: entries at which the last segment is moved down to it, and
// the first one.
constexpr uint64_t kLastDown = 85;
constexpr uint64_t kFirstDown = 80;

// The hundredths of a capacity that are for step i of `num`, in entries: each step has a number of
// its own, so that none waits for another.
uint64_t EntriesAt(uint64_t capacity, uint64_t first, uint64_t last, uint64_t i, uint64_t num) {
  const uint64_t hundredth = capacity / 100;
  if (num <= 1) return hundredth * last;
  return hundredth * first + hundredth * (last - first) / (num - 1) * i;
}

}  // namespace

void GrowingShard::FollowState() {
  figures_.next_bytes.Set(NextBytes());
  sums_ = {};
  segment_bytes_ = 0;
  if (keeps_digests()) {
    // A filter that begins with blocks has digests where a loaded shard is empty, or could not
    // have blocks yet.
    grow_at_ = ladder_.begins_with_digests() ? ladder_.max_digests() + 1 : 1;
    fold_at_ = kNever;
    full_at_ = FullAt(ladder_[0]);
    figures_.num_blocks.Set(0);
    figures_.num_bins.Set(0);
    figures_.num_slots.Set(0);
    figures_.level.Set(0);
    return;
  }
  const uint64_t num = level().num_segments();
  const uint64_t capacity = level().capacity;
  const bool is_last = level_ + 1 == ladder_.num_levels();
  grow_at_ = is_last
                 ? FullAt(level())
                 : std::max(EntriesAt(capacity, kFirstUp, kLastUp, num_moved_, num), uint64_t{1});
  const size_t first = ladder_.first_level();
  if (is_moving() && level_ >= first) {
    fold_at_ =
        static_cast<int64_t>(EntriesAt(capacity, kFirstDown, kLastDown, num_moved_ - 1, num));
  } else if (level_ > first) {
    fold_at_ = static_cast<int64_t>(ladder_[level_ - 1].capacity / 100 * kLastDown);
  } else {
    fold_at_ = ladder_.begins_with_digests() && !is_moving() ? 0 : kNever;
  }
  full_at_ = FullAt(level());
  uint64_t num_blocks = 0;
  uint64_t num_bins = 0;
  uint64_t num_slots = 0;
  for (const Segment& segment : segments_) {
    segment_bytes_ += segment.all_bytes();
    num_blocks += segment.num_blocks();
    num_bins += segment.num_blocks() * segment.range().layout().shape.bins;
    num_slots += segment.num_blocks() * segment.range().layout().shape.slots;
    sums_ += RangeSums::Of(segment.range());
  }
  figures_.num_slots.Set(num_slots);
  figures_.num_blocks.Set(num_blocks);
  figures_.num_bins.Set(num_bins);
  figures_.level.Set(level_);
}

// An update makes one step: where several are due, after loading, merging or refusals, the next
// updates make the others; but a full shard would refuse these, and an empty one has no next.
void GrowingShard::DoSteps() noexcept {
  if (num_entries_ >= grow_at_) {
    do Grow();
    while (is_full() && num_entries_ >= grow_at_);
  } else {
    while (static_cast<int64_t>(num_entries_) <= fold_at_ && Fold() && num_entries_ == 0) {
    }
  }
  SetFigures();
}

void GrowingShard::Grow() noexcept {
  if (keeps_digests() ? BecomeBlocks() : MoveUp()) return FollowState();
  if (NextBytes() != 0) NoteRefusedStep();
  // Copies in slots must not keep out keys.
  if (is_full() && !keeps_digests()) CountCopies();
  grow_at_ = num_entries_ + std::max<uint64_t>(64, num_entries_ / 16);
  if (NextBytes() == 0) grow_at_ = std::max(grow_at_, full_at_);
}

// Ends the program where there is no memory for records, as updates do.
void GrowingShard::CountCopies() noexcept {
  for (const Segment& segment : segments_) {
    DenseRange& range = segment.range();
    const RangeSums before = RangeSums::Of(range);
    range.CountCopies();
    const RangeSums after = RangeSums::Of(range);
    sums_ -= before;
    sums_ += after;
    num_entries_ -= after.copies - before.copies;
  }
}

bool GrowingShard::Fold() noexcept {
  if (num_entries_ == 0 && ladder_.begins_with_digests()) {
    BecomeDigests();  // needs no memory, whatever the level
  } else if ((level_ == ladder_.first_level() && !is_moving()) || !MoveDown()) {
    NoteRefusedStep();
    const uint64_t retry = std::max<uint64_t>(64, num_entries_ / 16);
    fold_at_ = static_cast<int64_t>(num_entries_ - std::min(num_entries_, retry));
    return false;
  }
  FollowState();
  return true;
}

uint64_t GrowingShard::NextBytes() const {
  if (keeps_digests()) return ladder_[0].num_bytes();
  if (level_ + 1 == ladder_.num_levels()) return 0;
  const GrowthLevel& next = ladder_[level_ + 1];
  const uint64_t now = Segment::AllBytesFor(level().num_blocks);
  return std::max(PartsOf(level(), next) * Segment::AllBytesFor(next.num_blocks), now + 1) - now;
}

// --- Segments.

void GrowingShard::Free(std::span<const Segment> segments) noexcept {
  for (const Segment& segment : segments) {
    memory_.FreeSegment(segment.bytes(), segment.num_bytes());
  }
}

void GrowingShard::Retire(std::span<const Segment> segments) noexcept {
  for (const Segment& segment : segments) {
    memory_.RetireSegment(segment.bytes(), segment.num_bytes());
  }
}

bool GrowingShard::HasMemoryFor(size_t num_more) noexcept {
  try {
    segments_.reserve(segments_.size() + num_more);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool GrowingShard::Replace(size_t first, size_t num_from, const GrowthLevel& to, uint64_t to_prefix,
                           size_t num_to) noexcept try {
  const auto begin = segments_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<Segment> from(begin, begin + static_cast<std::ptrdiff_t>(num_from));
  const uint64_t most_bytes = limits_.most_bytes;
  const uint64_t bytes_of_made = num_to * Segment::AllBytesFor(to.num_blocks);
  uint64_t bytes_after = segment_bytes_ + bytes_of_made;
  for (const Segment& segment : from) bytes_after -= segment.all_bytes();
  if (bytes_of_made > num_from * from[0].all_bytes() && bytes_after > most_bytes) {
    return false;
  }
  if (!HasMemoryFor(num_to)) return false;
  ShardValues values;
  // A prefix of `from`: it has as many bits as it has.
  const uint32_t from_bits = from[0].prefix_bits();
  const uint64_t from_prefix = from_bits <= to.prefix_bits
                                   ? to_prefix >> (to.prefix_bits - from_bits)
                                   : to_prefix << (from_bits - to.prefix_bits);
  for (size_t i = 0; i < num_from; ++i) {
    AppendValues(from[i], from_prefix + i, value_bits(), values);
  }
  std::vector<Segment> made;
  made.reserve(num_to);
  for (size_t i = 0; i < num_to; ++i) {
    const auto segment =
        MakeSegment(to, value_bits(), RangeOf(values, to_prefix + i, to.prefix_bits, value_bits()),
                    SideBytesOf(to), memory_);
    if (!segment) {
      Free(made);
      return false;
    }
    made.push_back(*segment);
  }
  if (!directory_.Need(shard_idx_, std::max(NeededBits(), to.prefix_bits))) {
    Free(made);
    return false;
  }
  for (size_t i = 0; i < num_to; ++i) Publish(made[i], to_prefix + i);
  // What had slots of its own may be counted now, or the other way round.
  for (const Segment& segment : from) num_entries_ += segment.range().counts().num_copies();
  for (const Segment& segment : made) num_entries_ -= segment.range().counts().num_copies();
  Retire(from);  // from here on other threads may free them
  const auto at = segments_.begin() + static_cast<std::ptrdiff_t>(first);
  segments_.insert(segments_.erase(at, at + static_cast<std::ptrdiff_t>(num_from)), made.begin(),
                   made.end());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool GrowingShard::MoveUp() noexcept {
  if (level_ + 1 == ladder_.num_levels()) return false;
  const GrowthLevel& next = ladder_[level_ + 1];
  if (next.HasSegmentsOf(level())) {
    level_ += 1;
    return true;
  }
  const uint64_t num_parts = PartsOf(level(), next);
  const uint64_t at = num_moved_ * num_parts;
  if (!Replace(at, 1, next, at, num_parts)) return false;
  num_moved_ += 1;
  if (num_moved_ == level().num_segments()) {
    level_ += 1;
    num_moved_ = 0;
  }
  return true;
}

bool GrowingShard::MoveDown() noexcept {
  const bool is_moving = this->is_moving();
  const size_t to_level = is_moving ? level_ : level_ - 1;
  const GrowthLevel& to = ladder_[to_level];
  if (to.HasSegmentsOf(ladder_[to_level + 1])) {
    level_ = to_level;
    return true;
  }
  const uint64_t num_parts = PartsOf(to, ladder_[to_level + 1]);
  const uint64_t moved = (is_moving ? num_moved_ : to.num_segments()) - 1;
  if (!Replace(moved * num_parts, num_parts, to, moved, 1)) return false;
  level_ = to_level;
  num_moved_ = moved;
  (void)directory_.Need(shard_idx_, NeededBits());
  return true;
}

bool GrowingShard::MakeSegments(const GrowthLevel& to, const ShardValues& values,
                                std::vector<Segment>& segments) noexcept {
  std::vector<Segment> made;
  const auto refuse = [&] {
    Free(made);
    return false;
  };
  try {
    if (to.num_bytes() > limits_.most_bytes) return false;
    made.reserve(to.num_segments());
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (uint64_t i = 0; i < to.num_segments(); ++i) {
    const auto segment =
        MakeSegment(to, value_bits(), RangeOf(values, i, to.prefix_bits, value_bits()),
                    SideBytesOf(to), memory_);
    if (!segment) return refuse();
    made.push_back(*segment);
  }
  if (!directory_.Need(shard_idx_, std::max(NeededBits(), to.prefix_bits))) return refuse();
  segments = std::move(made);
  return true;
}

void GrowingShard::Adopt(std::vector<Segment> segments, size_t level) noexcept {
  const std::vector<Segment> before = std::exchange(segments_, std::move(segments));
  level_ = level;
  num_moved_ = 0;
  const DigestTable table = std::exchange(table_, DigestTable());
  PublishAll();
  Retire(before);
  memory_.Retire(table.memory(), table.num_bytes());
  copies_.Clear();
}

void GrowingShard::PublishAll() {
  if (keeps_digests()) {
    directory_.PublishDigests(shard_idx_, table_);
  } else {
    ForEachSegment([this](const Segment& segment, uint64_t prefix) { Publish(segment, prefix); });
    directory_.PublishNoDigests(shard_idx_);
  }
  (void)directory_.Need(shard_idx_, NeededBits());
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

bool GrowingShard::BecomeBlocks() noexcept try {
  ShardValues values;
  values.values.reserve(num_entries_);
  const uint32_t shift = 64 - value_bits();
  table_.ForEach([&](uint64_t string) { values.values.push_back(string >> shift); });
  SortNearly(values.values);  // lines are in order
  copies_.ForEach([&](uint64_t string, uint64_t count) {
    if (!values.further.empty() && values.further.back().value == string >> shift) {
      values.further.back().count += count;
    } else {
      values.further.push_back({string >> shift, count});
    }
  });
  std::vector<Segment> made;
  if (!MakeSegments(ladder_[0], values, made)) return false;
  for (const Segment& segment : made) num_entries_ -= segment.range().counts().num_copies();
  for (const ValueCount& further : values.further) num_entries_ += further.count;
  Adopt(std::move(made), 0);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void GrowingShard::BecomeDigests() noexcept {
  num_entries_ = 0;
  Adopt({}, 0);
}

}  // namespace trommel
