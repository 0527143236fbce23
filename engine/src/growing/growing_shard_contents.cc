// Whole contents of a growing shard: begun, cleared, read and written; and its limit of side
// memory.
#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "engine/src/growing/growing_shard.h"

namespace trommel {
namespace {

using kernels::WholeString;

Error Corrupt(const std::string& rule) { return {.code = ErrorCode::kCorrupt, .message = rule}; }

Error NoMemory() {
  return {.code = ErrorCode::kOutOfMemory,
          .message = "the limit or the system refused memory for a shard's contents"};
}

}  // namespace

bool GrowingShard::Begin(bool has_first_size) noexcept {
  if (has_first_size && !ladder_.begins_with_digests()) {
    std::vector<Segment> made;
    if (!MakeSegments(ladder_[ladder_.first_level()], {}, made)) return false;
    segments_ = std::move(made);
    level_ = ladder_.first_level();
  }
  FollowState();
  SetFigures();
  PublishAll();
  return true;
}

void GrowingShard::ForgetRefusals() {
  figures_.num_refused_inserts.Set(0);
  figures_.num_refused_by_side.Set(0);
  figures_.num_refused_by_size.Set(0);
  figures_.num_refused_growths.Set(0);
}

void GrowingShard::Clear() noexcept {
  ForgetRefusals();
  std::vector<Segment> made;
  num_entries_ = 0;
  const size_t first = ladder_.first_level();
  if (ladder_.begins_with_digests() || MakeSegments(ladder_[first], {}, made)) {
    Adopt(std::move(made), first);
  } else {
    // The blocks stay, and shrink as keys come and go.
    for (const Segment& segment : segments_) segment.range().ClearBesideQueries();
    if (keeps_digests()) Adopt({}, 0);
  }
  FollowState();
  SetFigures();
}

// --- For files.

ShardContents GrowingShard::ReadContents() const {
  ShardContents contents{.keeps_digests = keeps_digests(), .keys = {}, .further = {}};
  if (keeps_digests()) {
    contents.keys.reserve(num_entries_);
    table_.ForEach([&](uint64_t string) { contents.keys.push_back(string); });
    std::ranges::sort(contents.keys);
    copies_.ForEach([&](uint64_t string, uint64_t count) {
      contents.further.push_back({string, count});
    });
    return contents;
  }
  ShardValues all;
  all.values.reserve(num_entries_);
  ForEachSegment([&](const Segment& segment, uint64_t prefix) {
    AppendValues(segment, prefix, value_bits(), all);
  });
  // Values with several slots once, and the others of these to the further copies.
  auto further = all.further.begin();
  contents.keys.reserve(all.values.size());
  for (auto at = all.values.begin(); at != all.values.end();) {
    const uint64_t value = *at;
    uint64_t num_further = 0;
    for (++at; at != all.values.end() && *at == value; ++at) num_further += 1;
    for (; further != all.further.end() && further->value == value; ++further) {
      num_further += further->count;
    }
    contents.keys.push_back(value);
    if (num_further > 0) contents.further.push_back({value, num_further});
  }
  return contents;
}

Status GrowingShard::WriteContents(const ShardContents& contents) {
  const size_t last = contents.keeps_digests ? 0 : ladder_.num_levels() - 1;
  if (contents.keys.size() > FullAt(ladder_[last])) {
    return Corrupt("a shard has more keys than it can have");
  }
  for (size_t i = 1; i < contents.keys.size(); ++i) {
    if (contents.keys[i - 1] >= contents.keys[i]) return Corrupt("keys of a shard do not ascend");
  }
  for (size_t i = 0; i < contents.further.size(); ++i) {
    const auto& [key, count] = contents.further[i];
    if (count == 0) return Corrupt("a key has 0 further copies");
    if (i > 0 && contents.further[i - 1].value >= key) {
      return Corrupt("keys with further copies do not ascend");
    }
    if (!std::ranges::binary_search(contents.keys, key)) {
      return Corrupt("a key with further copies is not there");
    }
  }
  return contents.keeps_digests ? WriteDigests(contents) : WriteValues(contents);
}

Status GrowingShard::WriteDigests(const ShardContents& contents) {
  constexpr uint64_t kUnknownBits = (uint64_t{1} << kernels::kGrowingShardBits) - 1;
  for (const uint64_t digest : contents.keys) {
    if ((digest & kUnknownBits) != WholeString(0)) return Corrupt("a digest is not whole");
  }
  if (contents.keys.empty()) return Ok();
  bool has_memory = true;
  for (const auto& [digest, count] : contents.further) {
    has_memory = has_memory && copies_.Add(digest, count);
  }
  if (!has_memory || !ResizeTable(DigestTable::LinesFor(contents.keys.size()))) {
    copies_.Clear();
    return NoMemory();
  }
  for (const uint64_t digest : contents.keys) table_.Insert(digest);
  num_entries_ = contents.keys.size();
  FollowState();
  // Where growth was refused before: the next entry tries again.
  grow_at_ = std::max(grow_at_, num_entries_ + 1);
  SetFigures();
  return Ok();
}

Status GrowingShard::WriteValues(const ShardContents& contents) {
  if (!contents.keys.empty() && contents.keys.back() >> value_bits() != 0) {
    return Corrupt("a value has too many bits");
  }
  if (contents.keys.empty()) return Ok();
  const ShardValues values{contents.keys, contents.further};
  std::vector<Segment> made;
  // A shard whose growth was refused is fuller than its level says.
  for (size_t to = ladder_.LevelFor(contents.keys.size());; --to) {
    if (MakeSegments(ladder_[to], values, made)) {
      Adopt(std::move(made), to);
      break;
    }
    if (to == 0) return NoMemory();
  }
  num_entries_ = contents.keys.size();
  for (const auto& [value, count] : contents.further) num_entries_ += count;
  for (const Segment& segment : segments_) num_entries_ -= segment.range().counts().num_copies();
  FollowState();
  grow_at_ = std::max(grow_at_, num_entries_ + 1);
  if (static_cast<int64_t>(num_entries_) <= fold_at_) {
    fold_at_ = static_cast<int64_t>(num_entries_) - 1;
  }
  SetFigures();
  return Ok();
}

// --- Side memory.

bool GrowingShard::PrepareSideLimit(uint64_t side_bytes) noexcept try {
  prepared_.clear();
  std::vector<DenseRange::SideMemory> prepared;
  for (const Segment& segment : segments_) {
    std::optional<DenseLimit> limit;
    if (side_bytes != 0) {
      limit = SegmentLimit(side_bytes / 2 >> segment.prefix_bits(), segment.num_blocks());
      if (!limit) return false;
    }
    Result<DenseRange::SideMemory> side = segment.range().WithLimit(limit);
    if (!side) return false;
    prepared.push_back(*std::move(side));
  }
  if (!copies_.LimitTo(side_bytes / 2 / DigestCopies::kNodeBytes)) return false;
  prepared_ = std::move(prepared);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void GrowingShard::TakeSideLimit() noexcept {
  for (size_t i = 0; i < prepared_.size(); ++i) segments_[i].range().Take(std::move(prepared_[i]));
  prepared_.clear();
  FollowState();
  SetFigures();
}

}  // namespace trommel
