// Stamped stores with a limit of side memory: what is done where a block has more fingerprints than
// its slots and its line take, without memory beside what is reserved.
//
// Such a block is *spilled*: some of its fingerprints are in the side table alone, with all their
// copies. An insertion of another one goes there, too; whatever frees a slot or a line entry brings
// one back, with its youngest copy (Unspill). So while a block is spilled, no slot of it and no
// line entry is free that an earlier update could have used.
#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/window/stamped_store.h"

namespace trommel {

using kernels::kGroupBlocks;
using kernels::StampedGroup;

Status StampedStore::LimitSideMemory(uint64_t limit_bytes, uint64_t first_live) try {
  const std::string given = "side_memory_limit_bytes is " + GroupedText(limit_bytes);
  const uint64_t range_bytes = limit_bytes / num_owned_ranges();
  if (limit_bytes != 0 && range_bytes < SidePool::LeastBytes()) {
    return Error{ErrorCode::kInvalidArgument,
                 given + "; it must be 0 (no limit) or at least " +
                     GroupedText(SidePool::LeastBytes() * num_owned_ranges()) + ": " +
                     GroupedText(SidePool::LeastBytes()) + " per range of blocks (" +
                     GroupedText(num_owned_ranges()) + " here)"};
  }
  std::vector<SideCopies> changed;
  changed.reserve(ranges_.size());
  for (const OwnedRange& range : ranges_) {
    if (limit_bytes == 0) {
      changed.push_back(range.side.Unlimited());
      continue;
    }
    const SidePool::Space space = SidePool::SpaceWithin(range_bytes, BlocksPerOwnedRange());
    std::optional<SideCopies> limited = range.side.LimitedTo(space, first_live);
    if (!limited) {
      return Error{ErrorCode::kOutOfMemory,
                   given +
                       ", and the keys that are in need more: a range of blocks would have "
                       "space for " +
                       GroupedText(space.max_entries) + " entries of " +
                       GroupedText(space.max_blocks) + " blocks"};
    }
    changed.push_back(*std::move(limited));
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

bool StampedStore::Refuse(uint64_t block_idx) {
  RangeOf(block_idx).is_refused = true;
  return false;
}

void StampedStore::SweepForSpace(uint64_t block_idx, uint64_t first_kept) {
  const uint64_t first = block_idx / BlocksPerOwnedRange() * BlocksPerOwnedRange();
  for (uint64_t b = first; b < first + BlocksPerOwnedRange(); b = GroupEnd(b)) {
    if (GroupOf(b).copied != 0) SweepGroup(b / kGroupBlocks, first_kept);
  }
}

std::optional<StampedStore::Shown> StampedStore::UsablePlace(uint64_t block_idx,
                                                             uint64_t kept) const {
  const size_t slot_idx = UsableSlot(block_idx, kept);
  if (slot_idx < shape_.num_slots) return Shown{false, slot_idx, 0};
  const StampedLine line = LineOf(block_idx);
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    if (entry.fingerprint == 0 || entry.stamp < kept) return Shown{true, e, 0};
  }
  return std::nullopt;
}

// Returns whether there was one, and a place for it; one that there is no place for leaves the
// block spilled.
bool StampedStore::UnspillOne(uint64_t block_idx, uint64_t first_kept) {
  SideCopies& side = RangeOf(block_idx).side;
  const uint64_t first_bucket = GroupOf(block_idx).first_bucket;
  const uint64_t kept = kernels::StampAfter(first_kept, first_bucket);
  std::optional<uint32_t> hidden;
  uint32_t last = 0;
  side.VisitEntries(block_idx, [&](const BucketKey& entry) {
    if (hidden || entry.fingerprint == last) return;
    last = entry.fingerprint;
    // A slot that shows it has its youngest copy: it counts if this one does.
    if (!FindShown(block_idx, last)) hidden = last;
  });
  StampedLine line = LineOf(block_idx);
  if (!hidden) {
    line.set_spilled(line.spilled() & ~BitOf(block_idx));
    return false;
  }
  const std::optional<Shown> place = UsablePlace(block_idx, kept);
  if (!place) return false;
  const std::optional<uint64_t> youngest = side.TakeYoungest(block_idx, *hidden, first_kept);
  StoreShown(block_idx, *place, {*hidden, static_cast<uint32_t>(*youngest - first_bucket)});
  return true;
}

void StampedStore::Unspill(uint64_t block_idx, uint64_t first_kept) {
  if (!IsSpilled(block_idx)) return;
  SideCopies& side = RangeOf(block_idx).side;
  side.DropExpired(block_idx, first_kept);
  while (UnspillOne(block_idx, first_kept)) continue;
  bool is_overflowing = IsSpilled(block_idx);
  const StampedLine line = LineOf(block_idx);
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    is_overflowing =
        is_overflowing || (entry.fingerprint != 0 && entry.home == block_idx % kGroupBlocks);
  }
  SetBit(block_idx, is_overflowing, &StampedGroup::overflow);
  SetBit(block_idx, side.Has(block_idx), &StampedGroup::copied);
}

bool StampedStore::FinishSpilled(Update update, const StampedSpan& span, uint64_t block_idx,
                                 uint32_t fingerprint) {
  SideCopies& side = RangeOf(block_idx).side;
  if (update == Update::kErase) {
    const bool is_erased = side.Take(block_idx, fingerprint, span.bucket);
    if (is_erased) Unspill(block_idx, span.first_kept);
    return is_erased;
  }
  if (IsSpilled(block_idx)) {
    // Slots may have become usable by time alone.
    Unspill(block_idx, span.first_kept);
    const uint64_t kept = kernels::StampAfter(span.first_kept, GroupOf(block_idx).first_bucket);
    const std::optional<Shown> shown = FindShown(block_idx, fingerprint);
    if (!IsSpilled(block_idx) || (shown && shown->stamp >= kept)) {
      return FinishKey(update, span, block_idx, fingerprint);
    }
  }
  if (update == Update::kInsertIfAbsent &&
      side.NumCopies(block_idx, fingerprint, span.first_live) > 0) {
    return false;
  }
  uint64_t bucket = span.bucket;
  if (!is_erasable_) {
    // Of one copy, the youngest: what is taken makes space for it.
    const std::optional<uint64_t> older =
        side.TakeYoungest(block_idx, fingerprint, span.first_kept);
    bucket = std::max(bucket, older.value_or(0));
  }
  if (!side.Add(block_idx, {fingerprint, bucket, 1}, span.first_kept)) return Refuse(block_idx);
  StampedLine line = LineOf(block_idx);
  line.set_spilled(line.spilled() | BitOf(block_idx));
  SetBit(block_idx, true, &StampedGroup::overflow);
  SetBit(block_idx, true, &StampedGroup::copied);
  return true;
}

}  // namespace trommel
