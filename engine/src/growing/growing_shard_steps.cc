// How a growing shard doubles and folds: when, segment by segment, and how each step is published.
#include <algorithm>
#include <array>
#include <cstring>

#include "engine/src/growing/growing_shard.h"

namespace trommel {
namespace {

using kernels::kMaxSegmentBits;
using kernels::kMinSegmentBits;
using kernels::kWideSlots;

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
  if (depth_ == limits_.first_bits && num_split_ == 0) {
    BecomeDigests();
  } else if (!FoldOne()) {
    fold_at_ = static_cast<int64_t>(num_entries_) - 64;
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

bool GrowingShard::SplitOne() noexcept {
  if (depth_ - limits_.first_bits >= limits_.most_doublings) return false;
  const bool is_whole = depth_ < kMaxSegmentBits;  // it becomes one segment of twice the blocks
  const uint64_t bytes_after = is_whole ? BytesAt(depth_ + 1, 0) : BytesAt(depth_, num_split_ + 1);
  if (bytes_after > limits_.most_bytes) return false;
  const uint32_t bits = is_whole ? depth_ + 1 : kMaxSegmentBits;
  const uint64_t num_new = is_whole ? 1 : 2;
  std::array<Segment, 2> to;
  for (uint64_t i = 0; i < num_new; ++i) {
    uint64_t* memory = memory_.AllocateSegment(bits);
    if (memory == nullptr) {
      if (i == 1) memory_.FreeSegment(to[0].memory(), bits);
      return false;
    }
    to[i] = Segment(memory, depth_ + 1, bits);
    to[i].Clear();
  }
  if (!is_whole && directory_bits_ == depth_ - bits && !DoubleDirectory()) {
    for (const Segment& segment : to) memory_.FreeSegment(segment.memory(), bits);
    return false;
  }
  const uint64_t segment_idx = num_split_;
  const Segment from(directory_[segment_idx << (directory_bits_ - (depth_ - BitsOf(depth_)))]);
  MoveToDoubled(from, segment_idx << from.bits(), to);
  for (uint64_t i = 0; i < num_new; ++i) Publish(to[i], num_new * segment_idx + i);
  memory_.RetireSegment(from.memory(), from.bits());
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
  uint64_t* memory = memory_.AllocateSegment(BitsOf(depth));
  if (memory == nullptr) return false;
  const Segment to(memory, depth, BitsOf(depth));
  to.Clear();
  const uint64_t segment_idx = num_split - 1;
  std::array<Segment, 2> from;
  for (uint64_t i = 0; i < 2; ++i) {
    const uint32_t shift = directory_bits_ - (depth + 1 - BitsOf(depth + 1));
    from[i] = Segment(directory_[is_whole ? 0 : (2 * segment_idx + i) << shift]);
  }
  MoveToFolded(from, segment_idx << to.bits(), to);
  depth_ = depth;
  num_split_ = num_split - 1;
  Publish(to, segment_idx);
  memory_.RetireSegment(from[0].memory(), from[0].bits());
  if (!is_whole) {
    memory_.RetireSegment(from[1].memory(), from[1].bits());
    if (num_split_ == 0) HalveDirectory();
  }
  return true;
}

// Blocks 2b and 2b + 1 get what block b holds: the top bit of a code says which.
void GrowingShard::MoveToDoubled(const Segment& from, uint64_t prefix,
                                 const std::array<Segment, 2>& to) {
  const uint64_t to_blocks = to[0].num_blocks();
  for (uint64_t b = 0; b < from.num_blocks(); ++b) {
    const uint32_t* block = from.BlockAt(b);
    if (!kernels::IsMarkedGrowing(block)) {
      // The common case, which takes part in each insertion's cost.
      std::array<std::array<uint16_t, kWideSlots + 1>, 2> codes{};
      std::array<size_t, 2> sizes{};
      for (size_t i = 0; i < kWideSlots; ++i) {
        const uint32_t code = kernels::WideSlot(block, i);
        const size_t half = code >> 15;
        codes[half][sizes[half]] = static_cast<uint16_t>(code << 1);
        sizes[half] += static_cast<size_t>(code != 0);
      }
      for (uint64_t half = 0; half < 2; ++half) {
        const uint64_t idx = 2 * b + half;
        std::memcpy(to[idx / to_blocks].BlockAt(idx % to_blocks), codes[half].data(),
                    kWideSlots * sizeof(uint16_t));
      }
      continue;
    }
    std::array<BlockContents, 2> halves;
    for (const BlockKey& entry : strings_.Read(from, b, prefix + b)) {
      halves[entry.key >> 15].push_back({entry.key << 1 & 0xffff, entry.count});
    }
    for (uint64_t half = 0; half < 2; ++half) {
      const uint64_t idx = 2 * b + half;
      strings_.Write(to[idx / to_blocks], idx % to_blocks, 2 * prefix + idx, halves[half]);
    }
  }
  strings_.Forget(from);
}

// Block b gets what blocks 2b and 2b + 1 hold. A code of 15 bits loses its last one: then its last
// 1 stays where it is.
//
//   code of 15 bits   b b ... b b 1   -->  h b ... b 1     h: the half
//   shorter           b b ... 1 0 0   -->  h b ... b 1 0
void GrowingShard::MoveToFolded(const std::array<Segment, 2>& from, uint64_t prefix,
                                const Segment& to) {
  const uint64_t from_blocks = from[0].num_blocks();
  for (uint64_t b = 0; b < to.num_blocks(); ++b) {
    BlockContents contents;
    for (uint64_t half = 0; half < 2; ++half) {
      const uint64_t idx = 2 * b + half;
      const BlockContents of_half =
          strings_.Read(from[idx / from_blocks], idx % from_blocks, 2 * prefix + idx);
      num_entries_ -= NumEntriesOf(of_half);
      for (const BlockKey& entry : of_half) {
        const uint32_t last_one = entry.key & 1;
        AddTo(contents, static_cast<uint32_t>(half << 15) | entry.key >> 1 | last_one, entry.count);
      }
    }
    num_entries_ += NumEntriesOf(contents);
    strings_.Write(to, b, prefix + b, contents);
  }
  strings_.Forget(from[0]);
  if (from[1].word() != from[0].word()) strings_.Forget(from[1]);
}

// --- The directory, and what is published.

void GrowingShard::Publish(const Segment& segment, uint64_t segment_idx) {
  const uint32_t shift = directory_bits_ - (segment.depth() - segment.bits());
  const uint64_t first = segment_idx << shift;
  for (uint64_t i = first; i < first + (uint64_t{1} << shift); ++i) {
    __atomic_store_n(directory_ + i, segment.word(), __ATOMIC_RELEASE);
  }
}

void GrowingShard::PublishRoot() {
  const uint64_t root = keeps_digests()
                            ? reinterpret_cast<uintptr_t>(table_.memory()) | kernels::kDigestsRoot
                            : reinterpret_cast<uintptr_t>(directory_) | directory_bits_;
  __atomic_store_n(&root_, root, __ATOMIC_RELEASE);
}

bool GrowingShard::DoubleDirectory() noexcept {
  uint64_t* doubled = memory_.Allocate(DirectoryBytes(directory_bits_ + 1));
  if (doubled == nullptr) return false;
  for (uint64_t i = 0; i < uint64_t{2} << directory_bits_; ++i) doubled[i] = directory_[i / 2];
  memory_.Retire(directory_, DirectoryBytes(directory_bits_));
  directory_ = doubled;
  directory_bits_ += 1;
  PublishRoot();
  return true;
}

// If there is no memory for half of it, it stays as it is: more than it needs.
void GrowingShard::HalveDirectory() noexcept {
  uint64_t* halved = memory_.Allocate(DirectoryBytes(directory_bits_ - 1));
  if (halved == nullptr) return;
  for (uint64_t i = 0; i < uint64_t{1} << (directory_bits_ - 1); ++i) {
    halved[i] = directory_[2 * i];
  }
  memory_.Retire(directory_, DirectoryBytes(directory_bits_));
  directory_ = halved;
  directory_bits_ -= 1;
  PublishRoot();
}

bool GrowingShard::MakeBlocks(uint32_t depth, uint64_t num_split, uint64_t*& directory,
                              uint32_t& directory_bits) noexcept {
  const uint32_t bits = BitsOf(depth);
  if (BytesAt(depth, num_split) > limits_.most_bytes) return false;
  directory_bits = depth - bits + static_cast<uint32_t>(num_split > 0);
  const uint64_t num_words = uint64_t{1} << directory_bits;
  directory = memory_.Allocate(DirectoryBytes(directory_bits));
  if (directory == nullptr) return false;
  for (uint64_t i = 0; i < num_words; ++i) {
    const bool is_split = i < 2 * num_split;
    if (num_split > 0 && !is_split && i % 2 == 1) {
      directory[i] = directory[i - 1];
      continue;
    }
    uint64_t* memory = memory_.AllocateSegment(bits);
    if (memory == nullptr) {
      for (uint64_t j = 0; j < i; ++j) {
        if (j > 0 && directory[j] == directory[j - 1]) continue;
        memory_.FreeSegment(Segment(directory[j]).memory(), bits);
      }
      memory_.Free(directory, DirectoryBytes(directory_bits));
      directory = nullptr;
      return false;
    }
    const Segment segment(memory, depth + static_cast<uint32_t>(is_split), bits);
    segment.Clear();
    directory[i] = segment.word();
  }
  return true;
}

// --- Digests.

bool GrowingShard::ResizeTable(uint64_t num_lines) noexcept {
  const uint64_t num_bytes = DigestTable::BytesOf(num_lines);
  if (num_bytes > limits_.most_bytes) return false;
  uint64_t* memory = memory_.Allocate(num_bytes);
  if (memory == nullptr) return false;
  DigestTable resized = DigestTable::Make(memory, num_lines);
  table_.ForEach([&](uint64_t string) { resized.Insert(string); });
  memory_.Retire(table_.memory(), table_.num_bytes());
  table_ = resized;
  PublishRoot();
  return true;
}

bool GrowingShard::BecomeBlocks() noexcept {
  uint64_t* directory = nullptr;
  uint32_t directory_bits = 0;
  const uint32_t depth = limits_.first_bits;
  if (!MakeBlocks(depth, 0, directory, directory_bits)) return false;
  const Segment segment(directory[0]);
  BlockStrings strings;
  uint64_t num_entries = 0;
  const auto add = [&](uint64_t string, uint64_t count) {
    const uint64_t prefix = PrefixOf(string, depth);
    BlockContents contents = strings.Read(segment, prefix, prefix);
    const uint32_t code = CodeAt(string, depth);
    const uint64_t num_copies = CountIn(contents, code);
    num_entries += NumEntries(num_copies + count) - NumEntries(num_copies);
    AddTo(contents, code, count);
    strings.Write(segment, prefix, prefix, contents);
  };
  table_.ForEach([&](uint64_t string) { add(string, 1); });
  for (const auto& [string, count] : strings_.side()) add(string, count);
  memory_.Retire(table_.memory(), table_.num_bytes());
  table_ = DigestTable();
  strings_ = std::move(strings);
  num_entries_ = num_entries;
  directory_ = directory;
  directory_bits_ = directory_bits;
  depth_ = depth;
  num_split_ = 0;
  PublishRoot();
  return true;
}

void GrowingShard::BecomeDigests() noexcept {
  Retire();
  strings_.Clear();
  depth_ = 0;
  num_split_ = 0;
  num_entries_ = 0;
  PublishRoot();
}

}  // namespace trommel
