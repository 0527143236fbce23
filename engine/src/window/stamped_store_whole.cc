// Stamped stores as wholes: what limits, merges, copies and snapshots do.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/window/figures_of_change.h"
#include "engine/src/window/stamped_store.h"
#include "kernels/group_versions.h"

namespace trommel {

using kernels::GroupChange;
using kernels::kFingerprintBlockWords;
using kernels::kGroupBlocks;
using kernels::StampedGroup;

Status StampedStore::LimitSideMemory(uint64_t limit_bytes, uint64_t first_live) try {
  const uint64_t range_bytes = limit_bytes / num_owned_ranges();
  if (limit_bytes != 0 && range_bytes < SideCopies::LeastBytes()) {
    return SideLimitTooLow(limit_bytes, SideCopies::LeastBytes(), num_owned_ranges());
  }
  std::vector<SideCopies> changed;
  changed.reserve(ranges_.size());
  const SideCopies::Space space = limit_bytes == 0
                                      ? SideCopies::Space()
                                      : SideCopies::SpaceWithin(range_bytes, BlocksPerOwnedRange());
  for (OwnedRange& range : ranges_) {
    for (const uint64_t b : range.side.SortedBlocks()) {
      range.side.DropExpired(b, kernels::StampAfter(first_live, GroupOf(b).first_bucket));
    }
    std::optional<SideCopies> copy = range.side.CopyWithin(space);
    if (!copy) {
      return Error{ErrorCode::kOutOfMemory,
                   "side_memory_limit_bytes is " + GroupedText(limit_bytes) +
                       ", and the keys that are in need more: a range of blocks would have "
                       "space for " +
                       GroupedText(space.max_entries) + " entries of " +
                       GroupedText(space.max_blocks) + " blocks"};
    }
    changed.push_back(*std::move(copy));
  }
  for (size_t r = 0; r < ranges_.size(); ++r) {
    ranges_[r].side = std::move(changed[r]);
    ranges_[r].side_table_bytes.Set(ranges_[r].side.num_bytes());
    ranges_[r].swept_before = 0;
  }
  return Ok();
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

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
    range.swept_before = 0;
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

namespace {

// A block's slots as fingerprint << 8 | stamp: those that are not free, in the order of the slots.
struct Slots {
  std::array<uint32_t, kernels::kStampedSlots16> keys{};
  size_t size = 0;
  bool is_packed = true;  // no free one before them, and all bits of free ones are 0
};

Slots LoadSlots(const kernels::StampedShape& shape, const uint32_t* block) {
  Slots slots;
  bool is_last = false;
  const auto add = [&](uint32_t fingerprint, uint32_t stamp) {
    if (fingerprint == 0) {
      is_last = true;
      slots.is_packed &= stamp == 0;
      return;
    }
    slots.is_packed &= !is_last;
    slots.keys[slots.size++] = fingerprint << 8 | stamp;
  };
  std::array<uint16_t, kernels::kStampedSlots16> halves;
  std::memcpy(halves.data(), block, sizeof(halves));
  if (shape == kernels::kStampedShape16) {
    for (const uint16_t half : halves) add(half >> 4, half & 15);
    return slots;
  }
  std::array<uint8_t, sizeof(halves) - kernels::kStampBytesAt> stamps;
  std::memcpy(stamps.data(), reinterpret_cast<const std::byte*>(block) + kernels::kStampBytesAt,
              sizeof(stamps));
  for (size_t i = 0; i < kernels::kStampedSlots24; ++i) add(halves[i], stamps[i]);
  slots.is_packed &= stamps.back() == 0;
  return slots;
}

void StoreSlots(const kernels::StampedShape& shape, const Slots& slots, uint32_t* block) {
  std::array<uint8_t, kFingerprintBlockWords * sizeof(uint32_t)> bytes{};
  for (size_t i = 0; i < slots.size; ++i) {
    const uint32_t fingerprint = slots.keys[i] >> 8;
    const uint32_t stamp = slots.keys[i] & 0xff;
    const bool has_16 = shape == kernels::kStampedShape16;
    const auto half = static_cast<uint16_t>(has_16 ? fingerprint << 4 | stamp : fingerprint);
    std::memcpy(bytes.data() + 2 * i, &half, sizeof(half));
    if (!has_16) bytes[kernels::kStampBytesAt + i] = static_cast<uint8_t>(stamp);
  }
  std::memcpy(block, bytes.data(), bytes.size());
}

}  // namespace

// Most blocks have no more than their slots.
void StampedStore::MakeCanonical(uint64_t first_live) {
  std::array<StampedContents, kGroupBlocks> contents;
  for (uint64_t g = 0; g < num_groups(); ++g) {
    const uint64_t first = g * kGroupBlocks;
    const uint64_t end = GroupEnd(first);
    const FiguresOfChange figures(*this, first);
    const StampedGroup before = groups_[g];
    const uint64_t has_more = before.overflow | before.copied;
    for (uint64_t b = first; b < end; ++b) {
      if ((has_more & BitOf(b)) == 0) continue;
      contents[b - first] = ReadContents(b, first_live);
      StoreContents(b, {}, first_live);
    }
    std::fill_n(lines_.data() + g * kStampedLineWords, kStampedLineWords, 0);
    groups_[g] = {before.version, first_live, 0, 0};
    const uint64_t kept = kernels::StampAfter(first_live, before.first_bucket);
    for (uint64_t b = first; b < end; ++b) {
      if ((has_more & BitOf(b)) != 0) {
        StoreContents(b, contents[b - first], first_live);
        continue;
      }
      Slots slots = LoadSlots(shape_, BlockAt(b));
      size_t num_live = 0;
      for (size_t i = 0; i < slots.size; ++i) {
        const uint32_t key = slots.keys[i];
        if ((key & 0xff) < kept) continue;
        const uint64_t stamp = before.first_bucket + (key & 0xff) - first_live;
        slots.keys[num_live++] = (key & ~0xffU) | static_cast<uint32_t>(stamp);
      }
      slots.size = num_live;
      std::sort(slots.keys.begin(), slots.keys.begin() + static_cast<std::ptrdiff_t>(num_live));
      StoreSlots(shape_, slots, BlockAt(b));
    }
  }
}

// The slots of a block that has no more: fingerprints ascend.
bool StampedStore::HoldsPlain(uint64_t block_idx, uint64_t num_live,
                              std::span<uint64_t> held) const {
  const Slots slots = LoadSlots(shape_, BlockAt(block_idx));
  bool is_right = slots.is_packed;
  for (size_t i = 0; i < slots.size; ++i) {
    const uint32_t stamp = slots.keys[i] & 0xff;
    is_right &= stamp < num_live && (i == 0 || slots.keys[i - 1] >> 8 < slots.keys[i] >> 8);
    held[std::min<uint64_t>(stamp, num_live - 1)] += 1;
  }
  return is_right;
}

bool StampedStore::IsCanonical(uint64_t first_live, std::span<uint64_t> held,
                               uint64_t& bad_block) const {
  Geometry of_group = geometry_;
  of_group.shard_bits = 0;
  of_group.num_blocks = std::min<uint64_t>(geometry_.num_blocks, kGroupBlocks);
  Result<StampedStore> made = Create(of_group, is_erasable_, 0);
  if (!made) throw std::bad_alloc();
  StampedStore& want = *made;
  constexpr uint64_t kMost = ~uint64_t{0} >> 1;
  for (uint64_t g = 0; g < num_groups(); ++g) {
    const uint64_t first = g * kGroupBlocks;
    const uint64_t end = GroupEnd(first);
    const uint64_t has_more = groups_[g].overflow | groups_[g].copied;
    if (has_more != 0) want.Clear(first_live);
    for (uint64_t b = first; b < end; ++b) {
      bad_block = b;
      if ((has_more & BitOf(b)) == 0) {
        if (!HoldsPlain(b, held.size(), held)) return false;
        continue;
      }
      const StampedContents contents = ReadContents(b, first_live);
      for (const BucketKey& copies : contents) {
        const uint64_t stamp = copies.bucket - first_live;
        if (copies.fingerprint == 0 || copies.fingerprint >> shape_.fingerprint_bits != 0 ||
            stamp >= held.size() || (!is_erasable_ && copies.count != 1) ||
            copies.count > kMost - held[stamp]) {
          return false;
        }
        held[stamp] += copies.count;
      }
      want.StoreContents(b - first, contents, first_live);
      const bool is_same =
          std::equal(BlockAt(b), BlockAt(b) + kFingerprintBlockWords, want.BlockAt(b - first)) &&
          SideOf(b) == want.SideOf(b - first);
      if (!is_same) return false;
    }
    const uint32_t* line = lines_.data() + g * kStampedLineWords;
    const auto is_zero = [](uint32_t word) { return word == 0; };
    if (has_more == 0 ? !std::all_of(line, line + kStampedLineWords, is_zero)
                      : !std::equal(line, line + kStampedLineWords, want.lines_.data())) {
      return false;
    }
  }
  return true;
}

void StampedStore::AdoptSide(uint64_t block_idx, const BucketKey& copies, uint64_t first_bucket) {
  const auto stamp = static_cast<uint32_t>(
      std::min<uint64_t>(copies.bucket - first_bucket, SideCopies::kNumStamps - 1));
  (void)RangeOf(block_idx).side.Add(block_idx, {copies.fingerprint, stamp, copies.count});
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
