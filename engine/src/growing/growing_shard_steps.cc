// How a growing shard doubles and folds: when, segment by segment, and how each step is published.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/growing/growing_shard.h"
#include "kernels/targets.h"

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

// A code gets the bit that says which half it was in. One of 15 bits loses its last one: then its
// last 1 stays where it is.
//
//   code of 15 bits   b b ... b b 1   -->  h b ... b 1     h: the half
//   shorter           b b ... 1 0 0   -->  h b ... b 1 0
uint32_t FoldedCode(uint32_t code, uint64_t half) {
  return static_cast<uint32_t>(half << 15) | code >> 1 | (code & 1);
}

// The common case of a block that is not marked, which takes part in the cost of each insertion:
// its codes go to two empty blocks, by their top bits. A code is stored at the end of both, and
// counts in one, because which one cannot be predicted. (At most 31 codes come before a code, so
// none is stored beyond a block.)
void DoubleOne(const uint32_t* block, uint32_t* to) {
  using Slot __attribute__((may_alias)) = uint16_t;
  auto* first = reinterpret_cast<Slot*>(to);
  auto* second = reinterpret_cast<Slot*>(to + kernels::kFingerprintBlockWords);
  std::array<uint32_t, kernels::kFingerprintBlockWords> words;
  std::memcpy(words.data(), block, sizeof(words));
  size_t num_first = 0;
  size_t num_second = 0;
  const auto store = [&](uint32_t code) {
    const auto rest = static_cast<uint16_t>(code << 1);
    const size_t is_second = code >> 15;
    first[num_first] = rest;
    second[num_second] = rest;
    num_first += static_cast<size_t>(code != 0) - is_second;
    num_second += is_second;
  };
  for (const uint32_t word : words) {
    store(word & 0xffff);
    store(word >> 16);
  }
  if (num_first < kWideSlots) first[num_first] = 0;
  if (num_second < kWideSlots) second[num_second] = 0;
}

// The common case of two blocks that are not marked and whose codes all fit `to`, in any slots, at
// most 4 copies of each. Returns false, and changes nothing, if it is another one, or may be.
bool FoldTwo(const uint32_t* first, const uint32_t* second, uint32_t* to) {
  if (kernels::IsMarkedGrowing(first) || kernels::IsMarkedGrowing(second)) return false;
  std::array<uint16_t, 2 * kWideSlots + 1> codes{};
  size_t size = 0;
  std::array<uint8_t, 128> sizes{};  // of classes of codes: no code has more copies than its class
  for (uint64_t half = 0; half < 2; ++half) {
    const uint32_t* block = half == 0 ? first : second;
    for (size_t i = 0; i < kWideSlots; ++i) {
      const uint32_t code = kernels::WideSlot(block, i);
      const auto is_code = static_cast<uint8_t>(code != 0);
      const uint32_t folded = code == 0 ? 0 : FoldedCode(code, half);
      uint8_t& class_size = sizes[(folded ^ folded >> 9) % sizes.size()];
      class_size = static_cast<uint8_t>(class_size + is_code);
      codes[size] = static_cast<uint16_t>(folded);
      size += is_code;
    }
  }
  if (size > kWideSlots || *std::ranges::max_element(sizes) > kernels::kMostCopiesShown) {
    return false;
  }
  std::memcpy(to, codes.data(), kWideSlots * sizeof(uint16_t));
  return true;
}

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

std::vector<Segment> GrowingShard::NewSegments(size_t count, uint32_t depth,
                                               uint32_t bits) noexcept {
  std::vector<Segment> segments;
  try {
    segments.reserve(count);
  } catch (const std::bad_alloc&) {
    return {};
  }
  while (segments.size() < count) {
    std::byte* blocks = memory_.AllocateSegment(bits);
    if (blocks == nullptr) {
      for (const Segment& segment : segments) memory_.FreeSegment(segment.bytes(), bits);
      return {};
    }
    segments.emplace_back(blocks, depth, bits);
    segments.back().Clear();
  }
  return segments;
}

bool GrowingShard::SplitOne() noexcept {
  if (depth_ - limits_.first_bits >= limits_.most_doublings) return false;
  const bool is_whole = depth_ < kMaxSegmentBits;  // it becomes one segment of twice the blocks
  const uint64_t bytes_after = is_whole ? BytesAt(depth_ + 1, 0) : BytesAt(depth_, num_split_ + 1);
  if (bytes_after > limits_.most_bytes) return false;
  const uint32_t bits = BitsOf(depth_ + 1);
  const std::vector<Segment> to = NewSegments(is_whole ? 1 : 2, depth_ + 1, bits);
  if (to.empty()) return false;
  const uint64_t at = 2 * num_split_;  // in segments_
  try {
    segments_.reserve(segments_.size() + 1);
    if (!directory_.Need(shard_idx_, NeededBits(depth_ + 1, 0))) throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
    for (const Segment& segment : to) memory_.FreeSegment(segment.bytes(), bits);
    return false;
  }
  const Segment from = segments_[at];
  MoveToDoubled(from, num_split_ << from.bits(), to);
  for (uint64_t i = 0; i < to.size(); ++i) Publish(to[i], to.size() * num_split_ + i);
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
  const std::vector<Segment> to = NewSegments(1, depth, BitsOf(depth));
  if (to.empty()) return false;
  const uint64_t folded = num_split - 1;  // the index of the segment's prefix
  const auto first = segments_.begin() + static_cast<std::ptrdiff_t>(2 * folded);
  const auto last = first + (is_whole ? 1 : 2);
  const std::vector<Segment>& segments = segments_;
  const std::span<const Segment> from(segments.data() + 2 * folded, is_whole ? 1 : 2);
  MoveToFolded(from, folded << to[0].bits(), to[0]);
  Publish(to[0], folded);
  for (const Segment& segment : from) memory_.RetireSegment(segment.bytes(), segment.bits());
  *first = to[0];
  segments_.erase(first + 1, last);
  depth_ = depth;
  num_split_ = folded;
  (void)directory_.Need(shard_idx_, NeededBits(depth_, num_split_));
  return true;
}

// Blocks 2b and 2b + 1 get what block b holds: the top bit of a code says which.
void GrowingShard::MoveToDoubled(const Segment& from, uint64_t prefix,
                                 std::span<const Segment> to) {
  const uint64_t to_blocks = to[0].num_blocks();
  for (uint64_t b = 0; b < from.num_blocks(); ++b) {
    const uint32_t* block = from.BlockAt(b);
    if (!kernels::IsMarkedGrowing(block)) {
      DoubleOne(block, to[2 * b / to_blocks].BlockAt(2 * b % to_blocks));
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

// Block b gets what blocks 2b and 2b + 1 hold.
void GrowingShard::MoveToFolded(std::span<const Segment> from, uint64_t prefix, const Segment& to) {
  const uint64_t from_blocks = from[0].num_blocks();
  for (uint64_t b = 0; b < to.num_blocks(); ++b) {
    const auto block_at = [&](uint64_t idx) {
      return from[idx / from_blocks].BlockAt(idx % from_blocks);
    };
    if (!strings_.has_side() && FoldTwo(block_at(2 * b), block_at(2 * b + 1), to.BlockAt(b))) {
      continue;
    }
    BlockContents contents;
    for (uint64_t half = 0; half < 2; ++half) {
      const uint64_t idx = 2 * b + half;
      const BlockContents of_half =
          strings_.Read(from[idx / from_blocks], idx % from_blocks, 2 * prefix + idx);
      num_entries_ -= NumEntriesOf(of_half);
      for (const BlockKey& entry : of_half) {
        AddTo(contents, FoldedCode(entry.key, half), entry.count);
      }
    }
    num_entries_ += NumEntriesOf(contents);
    strings_.Write(to, b, prefix + b, contents);
  }
  for (const Segment& segment : from) strings_.Forget(segment);
}

bool GrowingShard::MakeSegments(uint32_t depth, uint64_t num_split,
                                std::vector<Segment>& segments) noexcept {
  const uint32_t bits = BitsOf(depth);
  if (BytesAt(depth, num_split) > limits_.most_bytes) return false;
  std::vector<Segment> split = NewSegments(2 * num_split, depth + 1, bits);
  const std::vector<Segment> whole = NewSegments(NumSegments(depth) - num_split, depth, bits);
  try {
    if (split.size() < 2 * num_split || whole.empty()) throw std::bad_alloc();
    split.insert(split.end(), whole.begin(), whole.end());
    if (!directory_.Need(shard_idx_, NeededBits(depth, num_split))) throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
    for (const Segment& segment : split) memory_.FreeSegment(segment.bytes(), bits);
    for (const Segment& segment : whole) memory_.FreeSegment(segment.bytes(), bits);
    return false;
  }
  segments = std::move(split);
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
  BlockStrings strings;
  uint64_t num_entries = 0;
  const auto insert_one = kernels::ChosenKernels().growing.insert_one;
  const auto add = [&](uint64_t string, uint64_t count) {
    const uint64_t digest = uint64_t{shard_idx_} << (64 - kernels::kGrowingShardBits) |
                            string >> kernels::kGrowingShardBits;
    if (count == 1 && insert_one(digest, segments[0].word()) == kernels::OneFate::kDone) {
      num_entries += 1;
      return;
    }
    const uint64_t prefix = PrefixOf(string, depth);
    BlockContents contents = strings.Read(segments[0], prefix, prefix);
    const uint32_t code = CodeAt(string, depth);
    const uint64_t num_copies = CountIn(contents, code);
    num_entries += NumEntries(num_copies + count) - NumEntries(num_copies);
    AddTo(contents, code, count);
    strings.Write(segments[0], prefix, prefix, contents);
  };
  table_.ForEach([&](uint64_t string) { add(string, 1); });
  for (const auto& [string, count] : strings_.side()) add(string, count);
  strings_ = std::move(strings);
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
  for (const Segment& segment : segments) {
    memory_.RetireSegment(segment.bytes(), segment.bits());
  }
}

}  // namespace trommel
