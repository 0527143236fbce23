// Stamped stores: updates of single keys and of batches.
//
// The kernel decides all keys but those of blocks with keys elsewhere, copies of fingerprints that
// are in, and those whose bucket needs a sweep of the group first.
#include <algorithm>
#include <optional>

#include "engine/src/keys/radix_split.h"
#include "engine/src/window/figures_of_change.h"
#include "engine/src/window/stamped_store.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"

namespace trommel {

using kernels::GroupChange;
using kernels::kGroupBlocks;
using kernels::OneFate;
using kernels::StampedGroup;
using kernels::StampedSlot;

OneFate StampedStore::ApplyKernel(Update update, const StampedSpan& span, uint64_t digest) const {
  const kernels::StampedKernels& kernels = Kernels();
  const kernels::StampedBlocks view = View(span);
  if (update == Update::kErase) return kernels.erase_one(digest, view);
  if (update == Update::kInsertIfAbsent) return kernels.insert_if_absent_one(digest, view);
  return is_erasable_ ? kernels.insert_one(digest, view) : kernels.refresh_one(digest, view);
}

uint64_t StampedStore::Apply(Update update, const StampedSpan& span, const uint64_t* digests,
                             const kernels::DigestRange& range, uint64_t* answers,
                             uint64_t* refused) {
  kernels::StampedKernels kernels = Kernels();
  if (!is_erasable_) kernels.insert = kernels.refresh;
  uint64_t num_refused = 0;
  if (range.begin == range.end) return 0;
  const RangeVersions::Update change(versions_,
                                     trommel::RangeOf(digests[range.begin], lock_bits()));
  UpdateByKernels(
      kernels, View(span), update, digests, range, answers, [](uint64_t) {},
      [this](uint64_t digest) {
        __builtin_prefetch(lines_.data() +
                           PlaceOf(digest).block_idx / kGroupBlocks * kStampedLineWords);
      },
      [&](size_t i) {
        num_refused += NoteFate(Finish(update, span, digests[i]), update, i, answers, refused);
      });
  return num_refused;
}

Fate StampedStore::UpdateOne(Update update, const StampedSpan& span, uint64_t digest) {
  const RangeVersions::Update change(versions_, trommel::RangeOf(digest, lock_bits()));
  const OneFate fate = ApplyKernel(update, span, digest);
  if (fate == OneFate::kDone) [[likely]]
    return Fate::kChanged;
  if (fate == OneFate::kUnchanged) return Fate::kUnchanged;
  return Finish(update, span, digest);
}

void StampedStore::FetchAhead(std::span<const uint64_t> digests) const {
  for (const uint64_t digest : digests) {
    const uint64_t block_idx = PlaceOf(digest).block_idx;
    __builtin_prefetch(BlockAt(block_idx));
    __builtin_prefetch(&GroupOf(block_idx));
  }
}

// --- What the kernel leaves.

Fate StampedStore::Finish(Update update, const StampedSpan& span, uint64_t digest) {
  const uint64_t block_idx = PlaceOf(digest).block_idx;
  OwnedRange& range = RangeOf(block_idx);
  Fate fate = TryFinish(update, span, digest);
  if (fate == Fate::kRefused && range.swept_before < span.first_kept) {
    range.swept_before = span.first_kept;
    SweepForSpace(block_idx, span.first_kept);
    fate = TryFinish(update, span, digest);
  }
  if (fate == Fate::kRefused) range.num_refused.Set(range.num_refused.Get() + 1);
  return fate;
}

void StampedStore::SweepForSpace(uint64_t block_idx, uint64_t first_kept) {
  const uint64_t first = block_idx / BlocksPerOwnedRange() * BlocksPerOwnedRange();
  for (uint64_t b = first; b < first + BlocksPerOwnedRange(); b = GroupEnd(b)) {
    if (GroupOf(b).copied != 0) SweepGroup(b / kGroupBlocks, first_kept);
  }
}

Fate StampedStore::TryFinish(Update update, const StampedSpan& span, uint64_t digest) {
  const auto [block_idx, rest] = PlaceOf(digest);
  StampedGroup& group = GroupOf(block_idx);
  if (update != Update::kErase && span.bucket - group.first_bucket > shape_.max_stamp) {
    SweepGroup(block_idx / kGroupBlocks, span.first_kept);
    const OneFate fate = ApplyKernel(update, span, digest);
    if (fate < OneFate::kSpill) return fate == OneFate::kDone ? Fate::kChanged : Fate::kUnchanged;
  }
  const GroupChange change(&group.version);
  const FiguresOfChange figures(*this, block_idx);
  return FinishKey(update, {.block_idx = block_idx,
                            .fingerprint = FingerprintOf(rest),
                            .stamp = span.bucket - group.first_bucket,
                            .live = kernels::StampAfter(span.first_live, group.first_bucket),
                            .kept = kernels::StampAfter(span.first_kept, group.first_bucket)});
}

// Where a block shows the fingerprint: in a slot or in its line.
std::optional<StampedStore::Shown> StampedStore::FindShown(uint64_t block_idx,
                                                           uint32_t fingerprint) const {
  const uint32_t* block = BlockAt(block_idx);
  for (size_t i = 0; i < shape_.num_slots; ++i) {
    const StampedSlot slot = kernels::LoadSlot(shape_, block, i);
    if (slot.fingerprint == fingerprint) return Shown{false, i, slot.stamp};
  }
  if ((GroupOf(block_idx).overflow & BitOf(block_idx)) == 0) return std::nullopt;
  const StampedLine line = LineOf(block_idx);
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    if (entry.fingerprint == fingerprint && entry.home == block_idx % kGroupBlocks) {
      return Shown{true, e, entry.stamp};
    }
  }
  return std::nullopt;
}

void StampedStore::StoreShown(uint64_t block_idx, const Shown& shown, const StampedSlot& slot) {
  if (!shown.is_in_line) {
    kernels::StoreSlot(shape_, slot, shown.idx, BlockAt(block_idx));
  } else if (slot.fingerprint == 0) {
    LineOf(block_idx).Free(shown.idx);
  } else {
    const auto home = static_cast<uint32_t>(block_idx % kGroupBlocks);
    LineOf(block_idx).Store(shown.idx, {slot.fingerprint, home, slot.stamp});
  }
}

size_t StampedStore::UsableSlot(uint64_t block_idx, uint64_t kept) const {
  size_t i = 0;
  for (; i < shape_.num_slots; ++i) {
    const StampedSlot slot = kernels::LoadSlot(shape_, BlockAt(block_idx), i);
    if (slot.fingerprint == 0 || slot.stamp < kept) break;
  }
  return i;
}

// A slot before an entry of the line. Without a limit a spilled block leaves the line to others.
std::optional<StampedStore::Shown> StampedStore::UsablePlace(uint64_t block_idx,
                                                             uint64_t kept) const {
  const size_t slot_idx = UsableSlot(block_idx, kept);
  if (slot_idx < shape_.num_slots) return Shown{false, slot_idx, 0};
  if (IsSpilled(block_idx) && !has_side_limit()) return std::nullopt;
  const StampedLine line = LineOf(block_idx);
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    if (entry.fingerprint == 0 || entry.stamp < kept) return Shown{true, e, 0};
  }
  return std::nullopt;
}

Fate StampedStore::FinishKey(Update update, const UpdatedKey& key) {
  const uint64_t block_idx = key.block_idx;
  const std::optional<Shown> shown = FindShown(block_idx, key.fingerprint);
  const bool is_kept = shown && shown->stamp >= key.kept;
  if (update == Update::kErase) {
    if (is_kept) return EraseShown(key, *shown);
    SideCopies& side = RangeOf(block_idx).side;
    const bool is_erased = IsSpilled(block_idx) && side.Take(block_idx, key.fingerprint, key.stamp);
    if (!is_erased) return Fate::kUnchanged;
    Unspill(block_idx, key.kept);
    return Fate::kChanged;
  }
  if (is_kept) {
    if (update == Update::kInsertIfAbsent && shown->stamp >= key.live) return Fate::kUnchanged;
    return InsertShown(key, *shown);
  }
  if (IsSpilled(block_idx)) return InsertSpilled(update, key);
  const std::optional<Shown> place = shown ? shown : UsablePlace(block_idx, key.kept);
  if (!place) return InsertSpilled(update, key);
  StoreShown(block_idx, *place, {key.fingerprint, static_cast<uint32_t>(key.stamp)});
  if (place->is_in_line) SetBit(block_idx, true, &StampedGroup::overflow);
  ReturnFromLine(block_idx, key.kept);
  return Fate::kChanged;
}

// A further copy of a fingerprint that is in: the older of the two buckets goes to the side table.
Fate StampedStore::InsertShown(const UpdatedKey& key, const Shown& shown) {
  const auto stamp = static_cast<uint32_t>(key.stamp);
  if (is_erasable_) {
    SideCopies& side = RangeOf(key.block_idx).side;
    side.DropExpired(key.block_idx, key.kept);
    const StampedCopies older{key.fingerprint, std::min(shown.stamp, stamp), 1};
    if (!side.Add(key.block_idx, older)) return Fate::kRefused;
    SetBit(key.block_idx, true, &StampedGroup::copied);
  }
  if (shown.stamp < stamp) StoreShown(key.block_idx, shown, {key.fingerprint, stamp});
  return Fate::kChanged;
}

Fate StampedStore::EraseShown(const UpdatedKey& key, const Shown& shown) {
  SideCopies& side = RangeOf(key.block_idx).side;
  bool is_erased = side.Take(key.block_idx, key.fingerprint, key.stamp);
  if (!is_erased && shown.stamp == key.stamp) {
    // The last copy of the youngest bucket: the next older one is shown instead.
    const std::optional<uint32_t> older =
        side.TakeYoungest(key.block_idx, key.fingerprint, key.kept);
    StampedSlot left;
    if (older) left = {key.fingerprint, *older};
    StoreShown(key.block_idx, shown, left);
    is_erased = true;
  }
  SetBit(key.block_idx, side.Has(key.block_idx), &StampedGroup::copied);
  if (!is_erased) return Fate::kUnchanged;
  ReturnFromLine(key.block_idx, key.kept);
  Unspill(key.block_idx, key.kept);
  return Fate::kChanged;
}

// Moves a block's keys from the line to slots that have become usable.
void StampedStore::ReturnFromLine(uint64_t block_idx, uint64_t kept) {
  if ((GroupOf(block_idx).overflow & BitOf(block_idx)) == 0) return;
  StampedLine line = LineOf(block_idx);
  bool is_any_left = (line.spilled() & BitOf(block_idx)) != 0;
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    if (entry.fingerprint == 0 || entry.home != block_idx % kGroupBlocks) continue;
    if (entry.stamp >= kept) {
      const size_t slot_idx = UsableSlot(block_idx, kept);
      if (slot_idx == shape_.num_slots) {
        is_any_left = true;
        continue;
      }
      kernels::StoreSlot(shape_, {entry.fingerprint, entry.stamp}, slot_idx, BlockAt(block_idx));
    }
    line.Free(e);
  }
  SetBit(block_idx, is_any_left, &StampedGroup::overflow);
}

void StampedStore::Unspill(uint64_t block_idx, uint64_t kept) {
  if (!IsSpilled(block_idx)) return;
  SideCopies& side = RangeOf(block_idx).side;
  StampedLine line = LineOf(block_idx);
  side.DropExpired(block_idx, kept);
  uint32_t hidden = 0;
  while (IsSpilled(block_idx)) {
    const std::optional<Shown> place = UsablePlace(block_idx, kept);
    // Without a place it is enough to know that there is one: most often by a single look.
    const uint32_t any = side.AnyFingerprint(block_idx);
    if (!place && any != 0 && !FindShown(block_idx, any)) break;
    // A place that shows a fingerprint has its youngest copy: it counts if this one does.
    do {
      hidden = side.FingerprintAfter(block_idx, hidden);
    } while (hidden != 0 && FindShown(block_idx, hidden));
    if (hidden == 0) {
      line.set_spilled(line.spilled() & ~BitOf(block_idx));
      break;
    }
    if (!place) break;
    StoreShown(block_idx, *place, {hidden, *side.TakeYoungest(block_idx, hidden, kept)});
  }
  bool is_overflowing = IsSpilled(block_idx);
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    is_overflowing |= entry.fingerprint != 0 && entry.home == block_idx % kGroupBlocks;
  }
  SetBit(block_idx, is_overflowing, &StampedGroup::overflow);
  SetBit(block_idx, side.Has(block_idx), &StampedGroup::copied);
}

Fate StampedStore::InsertSpilled(Update update, const UpdatedKey& key) {
  const uint64_t block_idx = key.block_idx;
  SideCopies& side = RangeOf(block_idx).side;
  StampedLine line = LineOf(block_idx);
  side.DropExpired(block_idx, key.kept);
  // Places may have become usable by time alone.
  if (IsSpilled(block_idx) && UsablePlace(block_idx, key.kept)) {
    Unspill(block_idx, key.kept);
    return FinishKey(update, key);
  }
  if (update == Update::kInsertIfAbsent &&
      side.NumCopies(block_idx, key.fingerprint, key.live) > 0) {
    return Fate::kUnchanged;
  }
  auto stamp = static_cast<uint32_t>(key.stamp);
  if (!is_erasable_) {
    // Of one copy, the youngest: what is taken makes space for it.
    const std::optional<uint32_t> older = side.TakeYoungest(block_idx, key.fingerprint, key.kept);
    stamp = std::max(stamp, older.value_or(0));
  }
  if (!side.Add(block_idx, {key.fingerprint, stamp, 1})) return Fate::kRefused;
  // The line is for others now; but entries that a limit has no space for stay.
  for (size_t e = 0; e < kStampedLineEntries && !has_side_limit(); ++e) {
    const LineEntry entry = line.Load(e);
    if (entry.fingerprint == 0 || entry.home != block_idx % kGroupBlocks) continue;
    (void)side.Add(block_idx, {entry.fingerprint, entry.stamp, 1});
    line.Free(e);
  }
  line.set_spilled(line.spilled() | BitOf(block_idx));
  SetBit(block_idx, true, &StampedGroup::overflow);
  SetBit(block_idx, true, &StampedGroup::copied);
  return Fate::kChanged;
}

}  // namespace trommel
