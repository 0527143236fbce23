// Whole contents of a growing shard: begun, cleared, merged, read and written.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "engine/src/growing/growing_shard.h"

namespace trommel {
namespace {

using kernels::Begins;
using kernels::kMinSegmentBits;

// Files in which copies took slots have such blocks.
constexpr const char* kNotApart =
    "codes of a block do not ascend, or one begins another one, as in files that were written "
    "when copies of a key took slots: build the filter anew from its keys";

Error Corrupt(const std::string& rule) { return {.code = ErrorCode::kCorrupt, .message = rule}; }

Error NoMemory() {
  return {.code = ErrorCode::kOutOfMemory,
          .message = "the limit or the system refused memory for a shard's contents"};
}

}  // namespace

bool GrowingShard::Begin() noexcept {
  if (limits_.first_bits > kMinSegmentBits) {
    if (!MakeSegments(limits_.first_bits, 0, segments_)) return false;
    depth_ = limits_.first_bits;
  }
  SetThresholds();
  PublishAll();
  return true;
}

void GrowingShard::Replace(State state) {
  const State before{std::move(segments_), table_};
  segments_ = std::move(state.segments);
  table_ = state.table;
  PublishAll();
  Retire(before.segments);
  memory_.Retire(before.table.memory(), before.table.num_bytes());
}

void GrowingShard::ForgetRefusals() {
  figures_.num_refused_inserts.Set(0);
  figures_.num_refused_growths.Set(0);
}

void GrowingShard::Clear() noexcept {
  ForgetRefusals();
  State empty;
  const bool has_digests = limits_.first_bits == kMinSegmentBits;
  const bool is_new = has_digests || MakeSegments(limits_.first_bits, 0, empty.segments);
  strings_.Clear();
  num_entries_ = 0;
  if (is_new) {
    depth_ = has_digests ? 0 : limits_.first_bits;
    num_split_ = 0;
    Replace(std::move(empty));
  } else {
    // The blocks stay, and fold as keys come and go.
    for (const Segment& segment : segments_) {
      for (uint64_t b = 0; b < segment.num_blocks(); ++b) {
        const BlockChange change(segment, b);
        segment.ClearBlock(b);
      }
    }
  }
  SetThresholds();
  SetFigures();
}

bool GrowingShard::BeginAs(const GrowingShard& other) noexcept {
  if (other.keeps_digests()) {
    if (const uint64_t num_bytes = other.table_.num_bytes(); num_bytes != 0) {
      uint64_t* memory = memory_.Allocate(num_bytes);
      if (memory == nullptr) return false;
      std::memcpy(memory, other.table_.memory(), num_bytes);
      table_ = DigestTable(memory);
    }
  } else {
    if (!MakeSegments(other.depth_, other.num_split_, segments_)) return false;
    for (size_t i = 0; i < segments_.size(); ++i) segments_[i].CopyFrom(other.segments_[i]);
  }
  depth_ = other.depth_;
  num_split_ = other.num_split_;
  num_entries_ = other.num_entries_;
  grow_at_ = other.grow_at_;
  fold_at_ = other.fold_at_;
  full_at_ = other.full_at_;
  if (!side_nodes_.LimitAs(other.side_nodes_) || !strings_.CopyFrom(other.strings_)) return false;
  figures_ = other.figures_;
  PublishAll();
  return true;
}

bool GrowingShard::Merge(const GrowingShard& other) noexcept {
  // Where growth was refused before, the next entry tries again: if it can grow now, the side table
  // need not have what the merged blocks would have no place for.
  const uint64_t grows_at = keeps_digests() ? kMostDigests : SplitsAt(depth_, num_split_);
  grow_at_ = std::min(grow_at_, std::max(grows_at, num_entries_ + 1));
  bool is_merged = true;
  const auto add = [&](uint64_t string, uint64_t count) {
    if (!is_merged) return;
    if (keeps_digests()) {
      is_merged = AddDigest(string, count);
    } else {
      const Place place = PlaceOf(string);
      is_merged = Add(place, CodeAt(string, place.segment.depth()), count);
    }
    Step();
  };
  if (other.keeps_digests()) {
    other.table_.ForEach([&](uint64_t string) { add(string, 1); });
    for (const auto& [string, count] : other.strings_.side()) add(string, count);
  } else {
    // Its keys are known in part: a table of whole digests cannot have them.
    while (keeps_digests()) {
      if (!Grow()) return false;
    }
    // A block of each group in turn, so that all groups become full alike: one that were merged as
    // a whole would need side memory until the shard doubles.
    for (uint64_t first = 0; first < kernels::kGroupBlocks; ++first) {
      other.ForEachSegment([&](const Segment& segment, uint64_t prefix) {
        for (uint64_t b = first; b < segment.num_blocks() && is_merged;
             b += kernels::kGroupBlocks) {
          const auto add_code = [&](uint32_t code, uint64_t count) {
            add(StringOf(prefix + b, segment.depth(), code), count);
          };
          BlockContents contents;
          try {
            contents = other.strings_.Read(segment, b, prefix + b);
          } catch (const std::bad_alloc&) {  // then in another order
            other.strings_.ForEach(segment, b, prefix + b, add_code);
            continue;
          }
          for (const BlockKey& entry : contents) add_code(entry.key, entry.count);
        }
      });
    }
    Step();
  }
  SetFigures();
  return is_merged;
}

std::array<uint64_t, 16> GrowingShard::Tally() const {
  std::array<uint64_t, 16> tally{};
  if (keeps_digests()) {
    tally[kernels::kGrowingKeyBits] = num_entries_;
    return tally;
  }
  ForEachSegment([&](const Segment& segment, uint64_t prefix) {
    for (uint64_t b = 0; b < segment.num_blocks(); ++b) {
      for (const BlockKey& entry : strings_.Read(segment, b, prefix + b)) {
        const int num_bits = 15 - std::countr_zero(entry.key);
        tally[static_cast<size_t>(num_bits)] += 1;
      }
    }
  });
  return tally;
}

// --- For snapshots.

ShardContents GrowingShard::ReadContents() const {
  ShardContents contents;
  contents.depth = depth_;
  contents.num_split = num_split_;
  if (keeps_digests()) {
    contents.digests.reserve(num_entries_);
    table_.ForEach([&](uint64_t string) { contents.digests.push_back(string); });
    std::ranges::sort(contents.digests);
    for (const auto& [string, count] : strings_.side()) contents.further.push_back({string, count});
    return contents;
  }
  contents.block_sizes.reserve(figures_.num_blocks.Get());
  contents.codes.reserve(num_entries_);
  ForEachSegment([&](const Segment& segment, uint64_t prefix) {
    for (uint64_t b = 0; b < segment.num_blocks(); ++b) {
      const BlockContents block = strings_.Read(segment, b, prefix + b);
      for (const BlockKey& entry : block) {
        contents.codes.push_back(static_cast<uint16_t>(entry.key));
        if (entry.count == 1) continue;
        contents.further.push_back(
            {StringOf(prefix + b, segment.depth(), entry.key), entry.count - 1});
      }
      contents.block_sizes.push_back(static_cast<uint32_t>(block.size()));
    }
  });
  // Within a block the strings of short codes may come after those of longer ones.
  std::ranges::sort(contents.further, {}, &StringCount::string);
  return contents;
}

Status GrowingShard::CheckContents(const ShardContents& contents) const {
  if (!std::ranges::is_sorted(contents.digests)) return Corrupt("digests do not ascend");
  for (size_t i = 0; i < contents.further.size(); ++i) {
    if (contents.further[i].count == 0) return Corrupt("a string has 0 further copies");
    if (i > 0 && contents.further[i - 1].string >= contents.further[i].string) {
      return Corrupt("strings with further copies do not ascend");
    }
  }
  if (contents.depth == 0) {
    if (limits_.first_bits != kMinSegmentBits) return Corrupt("a shard keeps digests, not blocks");
    if (contents.num_split != 0 || !contents.block_sizes.empty() || !contents.codes.empty()) {
      return Corrupt("a shard that keeps digests has blocks");
    }
    return Ok();
  }
  if (!contents.digests.empty()) return Corrupt("a shard with blocks keeps digests");
  if (contents.depth < limits_.first_bits ||
      contents.depth - limits_.first_bits > limits_.most_doublings) {
    return Corrupt("a shard's depth is " + std::to_string(contents.depth) + ", not " +
                   std::to_string(limits_.first_bits) + " to " +
                   std::to_string(limits_.first_bits + limits_.most_doublings));
  }
  const bool may_split = contents.depth - limits_.first_bits < limits_.most_doublings &&
                         contents.depth >= kernels::kMaxSegmentBits;
  if (contents.num_split >= NumSegments(contents.depth) || (contents.num_split > 0 && !may_split)) {
    return Corrupt("too many segments have split");
  }
  const uint64_t num_blocks =
      (uint64_t{1} << contents.depth) +
      (contents.num_split << std::min(contents.depth, kernels::kMaxSegmentBits));
  if (contents.block_sizes.size() != num_blocks) return Corrupt("the number of blocks is wrong");
  uint64_t num_codes = 0;
  for (const uint32_t size : contents.block_sizes) num_codes += size;
  if (num_codes != contents.codes.size()) return Corrupt("the number of codes is wrong");
  if (num_codes == 0 && limits_.first_bits == kMinSegmentBits) {
    return Corrupt("a shard without keys has blocks");
  }
  return Ok();
}

Status GrowingShard::WriteDigests(const ShardContents& contents) {
  const std::vector<uint64_t>& digests = contents.digests;
  constexpr uint64_t kUnknownBits = (uint64_t{1} << kernels::kGrowingShardBits) - 1;
  for (size_t i = 0; i < digests.size(); ++i) {
    if ((digests[i] & kUnknownBits) != WholeString(0)) return Corrupt("a digest is not whole");
    if (i > 0 && digests[i - 1] == digests[i]) return Corrupt("a digest is there twice");
  }
  for (const StringCount& further : contents.further) {
    if (!std::ranges::binary_search(digests, further.string)) {
      return Corrupt("a digest with further copies is not there");
    }
  }
  if (digests.empty()) return Ok();
  bool has_memory = true;
  for (const StringCount& further : contents.further) {
    has_memory = has_memory && strings_.AddCopies(further.string, further.count);
  }
  if (!has_memory || !ResizeTable(DigestTable::LinesFor(digests.size()))) {
    strings_.Clear();
    return NoMemory();
  }
  for (const uint64_t string : digests) table_.Insert(string);
  num_entries_ = digests.size();
  return Ok();
}

Status GrowingShard::WriteBlocks(const ShardContents& contents) {
  std::vector<Segment> segments;
  if (!MakeSegments(contents.depth, contents.num_split, segments)) return NoMemory();
  segments_.swap(segments);  // now those of the new shard
  const uint32_t depth_before = depth_;
  depth_ = contents.depth;
  num_split_ = contents.num_split;
  num_entries_ = contents.codes.size();
  auto code = contents.codes.begin();
  auto size = contents.block_sizes.begin();
  auto further = contents.further.begin();
  const char* broken = nullptr;
  bool has_memory = true;
  ForEachSegment([&](const Segment& segment, uint64_t prefix) {
    // Each string has at least first_bits + 15 bits.
    const uint32_t shortest = uint32_t{1} << (segment.depth() - limits_.first_bits);
    for (uint64_t b = 0; b < segment.num_blocks() && broken == nullptr && has_memory; ++b) {
      BlockContents block;
      for (uint32_t i = 0; i < *size; ++i, ++code) {
        if (*code == 0 || kernels::LastOne(*code) > shortest) broken = "a code is too short";
        // Of the codes that a code begins, one would stand beside it.
        if (!block.empty() && (block.back().key >= *code || Begins(block.back().key, *code) ||
                               Begins(*code, block.back().key))) {
          broken = kNotApart;
        }
        block.push_back({*code, 1});
      }
      ++size;
      for (; further != contents.further.end() &&
             PrefixOf(further->string, segment.depth()) == prefix + b;
           ++further) {
        const uint32_t key = CodeAt(further->string, segment.depth());
        if (CountIn(block, key) != 1 ||
            StringOf(prefix + b, segment.depth(), key) != further->string) {
          broken = "a string with further copies is in no block";
          break;
        }
        AddTo(block, key, further->count);
      }
      if (broken != nullptr || block.empty()) continue;
      has_memory = strings_.Write(segment, b, prefix + b, block);
    }
  });
  if (broken == nullptr && has_memory && further != contents.further.end()) {
    broken = "a string with further copies is in no block";
  }
  if (broken != nullptr || !has_memory) {
    segments_.swap(segments);
    depth_ = depth_before;
    num_split_ = 0;
    num_entries_ = 0;
    strings_.Clear();
  } else {
    PublishAll();
  }
  Retire(segments);
  if (!has_memory) return NoMemory();
  return broken == nullptr ? Status(Ok()) : Corrupt(broken);
}

Status GrowingShard::WriteContents(const ShardContents& contents) {
  Status status = CheckContents(contents);
  if (status) status = contents.depth == 0 ? WriteDigests(contents) : WriteBlocks(contents);
  if (!status) return status;
  SetThresholds();
  // Where growth was refused before: the next entry tries again.
  grow_at_ = std::max(grow_at_, num_entries_ + 1);
  if (static_cast<int64_t>(num_entries_) <= fold_at_) {
    fold_at_ = static_cast<int64_t>(num_entries_) - 1;
  }
  SetFigures();
  return status;
}

}  // namespace trommel
