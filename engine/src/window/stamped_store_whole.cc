// Stamped stores as wholes: what merges, copies and snapshots do.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "engine/src/window/figures_of_change.h"
#include "engine/src/window/stamped_store.h"
#include "kernels/group_versions.h"

namespace trommel {

using kernels::GroupChange;
using kernels::kFingerprintBlockWords;
using kernels::kGroupBlocks;
using kernels::StampedGroup;

void StampedStore::Merge(const StampedStore& other, uint64_t first_live) {
  for (uint64_t g = 0; g < num_groups(); ++g) SweepOneGroup(g, first_live);
  for (uint64_t b = 0; b < geometry_.num_blocks; ++b) {
    const StampedContents theirs = other.ReadContents(b, first_live);
    if (theirs.empty()) continue;
    StampedContents contents = ReadContents(b, first_live);
    for (const BucketKey& copies : theirs) AddCopies(contents, copies);
    if (!is_erasable_) KeepYoungest(contents);
    const GroupChange change(&GroupOf(b).version);
    const FiguresOfChange figures(*this, b);
    StoreContents(b, contents, first_live);
  }
}

void StampedStore::Clear(uint64_t first_bucket) {
  blocks_.Clear();
  lines_.Clear();
  for (StampedGroup& group : groups_) group = {group.version, first_bucket, 0, 0};
  for (OwnedRange& range : ranges_) {
    range.side.Clear();
    range.num_overflowing.Set(0);
    range.num_undecided.Set(0);
    range.num_refused.Set(0);
    range.side_table_bytes.Set(range.side.num_bytes());
    range.dropped_before = 0;
  }
  num_interrupted_queries_.store(0, std::memory_order_relaxed);
}

void StampedStore::CopyOwnedRange(const StampedStore& from, uint64_t range_idx) {
  const uint64_t num_blocks = BlocksPerOwnedRange();
  const uint64_t first = range_idx * num_blocks;
  std::memcpy(BlockAt(first), from.BlockAt(first),
              num_blocks * kFingerprintBlockWords * sizeof(uint32_t));
  const uint64_t num_of_range = (num_blocks + kGroupBlocks - 1) / kGroupBlocks;
  const uint64_t first_group = first / kGroupBlocks;
  std::memcpy(lines_.data() + first_group * kStampedLineWords,
              from.lines_.data() + first_group * kStampedLineWords,
              num_of_range * kStampedLineWords * sizeof(uint32_t));
  std::copy_n(from.groups_.begin() + static_cast<std::ptrdiff_t>(first_group), num_of_range,
              groups_.begin() + static_cast<std::ptrdiff_t>(first_group));
  const OwnedRange& theirs = from.ranges_[range_idx];
  OwnedRange& ours = ranges_[range_idx];
  ours.side = theirs.side.Unlimited();
  ours.num_overflowing = theirs.num_overflowing;
  ours.num_undecided = theirs.num_undecided;
  ours.side_table_bytes.Set(ours.side.num_bytes());
}

void StampedStore::MakeCanonical(uint64_t first_live) {
  std::array<StampedContents, kGroupBlocks> contents;
  for (uint64_t g = 0; g < num_groups(); ++g) {
    const uint64_t first = g * kGroupBlocks;
    const uint64_t end = GroupEnd(first);
    const FiguresOfChange figures(*this, first);
    for (uint64_t b = first; b < end; ++b) contents[b - first] = ReadContents(b, first_live);
    for (uint64_t b = first; b < end; ++b) StoreContents(b, {}, first_live);
    std::fill_n(lines_.data() + g * kStampedLineWords, kStampedLineWords, 0);
    groups_[g] = {groups_[g].version, first_live, 0, 0};
    for (uint64_t b = first; b < end; ++b) StoreContents(b, contents[b - first], first_live);
  }
}

bool StampedStore::IsCanonical(uint64_t first_live, uint64_t last_live, uint64_t& bad_block) const {
  Geometry of_group = geometry_;
  of_group.shard_bits = 0;
  of_group.num_blocks = std::min<uint64_t>(geometry_.num_blocks, kGroupBlocks);
  Result<StampedStore> made = Create(of_group, is_erasable_, 0);
  if (!made) throw std::bad_alloc();
  StampedStore& want = *made;
  for (uint64_t g = 0; g < num_groups(); ++g) {
    const uint64_t first = g * kGroupBlocks;
    const uint64_t end = GroupEnd(first);
    want.Clear(first_live);
    for (uint64_t b = first; b < end; ++b) {
      bad_block = b;
      const StampedContents contents = ReadContents(b, first_live);
      const auto is_possible = [&](const BucketKey& copies) {
        return copies.fingerprint > 0 && copies.fingerprint >> shape_.fingerprint_bits == 0 &&
               copies.bucket <= last_live && (is_erasable_ || copies.count == 1);
      };
      if (!std::ranges::all_of(contents, is_possible)) return false;
      want.StoreContents(b - first, contents, first_live);
      const bool is_same =
          std::equal(BlockAt(b), BlockAt(b) + kFingerprintBlockWords, want.BlockAt(b - first)) &&
          std::ranges::equal(SideOf(b), want.SideOf(b - first));
      if (!is_same) return false;
    }
    const uint32_t* line = lines_.data() + g * kStampedLineWords;
    if (!std::equal(line, line + kStampedLineWords, want.lines_.data())) return false;
  }
  return true;
}

void StampedStore::AdoptSide(uint64_t block_idx, std::span<const BucketKey> copies) {
  RangeOf(block_idx).side.Put(block_idx, copies);
  SetBit(block_idx, true, &StampedGroup::copied);
}

void StampedStore::AdoptGroups(uint64_t first_bucket) {
  for (uint64_t r = 0; r < ranges_.size(); ++r) {
    uint64_t num_overflowing = 0;
    uint64_t num_undecided = 0;
    const uint64_t per_range = groups_.size() / ranges_.size();
    for (uint64_t g = r * per_range; g < (r + 1) * per_range; ++g) {
      const StampedLine line = LineOf(g * kGroupBlocks);
      uint64_t overflow = line.spilled();
      num_undecided += static_cast<uint64_t>(std::popcount(overflow));
      for (size_t e = 0; e < kStampedLineEntries; ++e) {
        const LineEntry entry = line.Load(e);
        if (entry.fingerprint != 0) overflow |= BitOf(entry.home);
      }
      num_overflowing += static_cast<uint64_t>(std::popcount(overflow));
      groups_[g].first_bucket = first_bucket;
      groups_[g].overflow = overflow;
    }
    ranges_[r].num_overflowing.Set(num_overflowing);
    ranges_[r].num_undecided.Set(num_undecided);
    ranges_[r].side_table_bytes.Set(ranges_[r].side.num_bytes());
  }
}

}  // namespace trommel
