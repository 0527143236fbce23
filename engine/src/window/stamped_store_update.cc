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
                           PlaceOf(digest).block_idx / kernels::kGroupBlocks * kStampedLineWords);
      },
      [&](size_t i) {
        num_refused += NoteFate(FateOf(update, span, digests[i]), update, i, answers, refused);
      });
  return num_refused;
}

Fate StampedStore::UpdateOne(Update update, const StampedSpan& span, uint64_t digest) {
  const RangeVersions::Update change(versions_, trommel::RangeOf(digest, lock_bits()));
  const OneFate fate = ApplyKernel(update, span, digest);
  if (fate == OneFate::kDone) [[likely]]
    return Fate::kChanged;
  if (fate == OneFate::kUnchanged) return Fate::kUnchanged;
  return FateOf(update, span, digest);
}

Fate StampedStore::FateOf(Update update, const StampedSpan& span, uint64_t digest) {
  const uint64_t block_idx = PlaceOf(digest).block_idx;
  OwnedRange& range = RangeOf(block_idx);
  range.is_refused = false;
  if (Finish(update, span, digest)) return Fate::kChanged;
  if (range.is_refused && range.swept_before < span.first_kept) {
    range.swept_before = span.first_kept;
    range.is_refused = false;
    SweepForSpace(block_idx, span.first_kept);
    if (Finish(update, span, digest)) return Fate::kChanged;
  }
  if (!range.is_refused) return Fate::kUnchanged;
  range.num_refused.Set(range.num_refused.Get() + 1);
  return Fate::kRefused;
}

void StampedStore::FetchAhead(std::span<const uint64_t> digests) const {
  for (const uint64_t digest : digests) {
    const uint64_t block_idx = PlaceOf(digest).block_idx;
    __builtin_prefetch(BlockAt(block_idx));
    __builtin_prefetch(&GroupOf(block_idx));
  }
}

// --- What the kernel leaves.

bool StampedStore::Finish(Update update, const StampedSpan& span, uint64_t digest) {
  const auto [block_idx, rest] = PlaceOf(digest);
  const uint32_t fingerprint = FingerprintOf(rest);
  StampedGroup& group = GroupOf(block_idx);
  if (update != Update::kErase && span.bucket - group.first_bucket > shape_.max_stamp) {
    SweepGroup(block_idx / kernels::kGroupBlocks, span.first_kept);
    const OneFate fate = ApplyKernel(update, span, digest);
    if (fate < OneFate::kSpill) return fate == OneFate::kDone;
  }
  const GroupChange change(&group.version);
  const FiguresOfChange figures(*this, block_idx);
  return FinishKey(update, span, block_idx, fingerprint);
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
    if (entry.fingerprint == fingerprint && entry.home == block_idx % kernels::kGroupBlocks) {
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
    const auto home = static_cast<uint32_t>(block_idx % kernels::kGroupBlocks);
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

bool StampedStore::FinishKey(Update update, const StampedSpan& span, uint64_t block_idx,
                             uint32_t fingerprint) {
  const StampedGroup& group = GroupOf(block_idx);
  const uint64_t kept = kernels::StampAfter(span.first_kept, group.first_bucket);
  const bool is_spilled = (LineOf(block_idx).spilled() & BitOf(block_idx)) != 0;
  const std::optional<Shown> shown = FindShown(block_idx, fingerprint);
  const bool is_kept = shown && shown->stamp >= kept;
  if (update == Update::kErase) {
    if (is_kept) return EraseShown(span, block_idx, fingerprint, *shown);
    return is_spilled && FinishElsewhere(update, span, block_idx, fingerprint);
  }
  if (is_kept) {
    const uint64_t shown_bucket = group.first_bucket + shown->stamp;
    if (update == Update::kInsertIfAbsent && shown_bucket >= span.first_live) return false;
    return InsertShown(span, block_idx, fingerprint, *shown) || Refuse(block_idx);
  }
  if (is_spilled) return FinishElsewhere(update, span, block_idx, fingerprint);
  const StampedSlot slot{fingerprint, static_cast<uint32_t>(span.bucket - group.first_bucket)};
  const size_t slot_idx = UsableSlot(block_idx, kept);
  if (shown) {
    StoreShown(block_idx, *shown, slot);
  } else if (slot_idx < shape_.num_slots) {
    StoreShown(block_idx, {false, slot_idx, 0}, slot);
  } else {
    const StampedLine line = LineOf(block_idx);
    size_t e = 0;
    for (; e < kStampedLineEntries; ++e) {
      const LineEntry entry = line.Load(e);
      if (entry.fingerprint == 0 || entry.stamp < kept) break;
    }
    if (e == kStampedLineEntries) return FinishElsewhere(update, span, block_idx, fingerprint);
    StoreShown(block_idx, {true, e, 0}, slot);
    SetBit(block_idx, true, &StampedGroup::overflow);
    return true;
  }
  ReturnFromLine(block_idx, kept);
  return true;
}

// A further copy of a fingerprint that is in: the older of the two buckets goes to the side table.
// Returns false, and changes nothing, if a limit has no space for it.
bool StampedStore::InsertShown(const StampedSpan& span, uint64_t block_idx, uint32_t fingerprint,
                               const Shown& shown) {
  const uint64_t first_bucket = GroupOf(block_idx).first_bucket;
  const uint64_t shown_bucket = first_bucket + shown.stamp;
  if (is_erasable_) {
    const uint64_t older = std::min(shown_bucket, span.bucket);
    SideCopies& side = RangeOf(block_idx).side;
    if (!side.Add(block_idx, {fingerprint, older, 1}, span.first_kept)) return false;
    SetBit(block_idx, true, &StampedGroup::copied);
  }
  if (shown_bucket < span.bucket) {
    const auto stamp = static_cast<uint32_t>(span.bucket - first_bucket);
    StoreShown(block_idx, shown, {fingerprint, stamp});
  }
  return true;
}

bool StampedStore::EraseShown(const StampedSpan& span, uint64_t block_idx, uint32_t fingerprint,
                              const Shown& shown) {
  SideCopies& side = RangeOf(block_idx).side;
  const uint64_t first_bucket = GroupOf(block_idx).first_bucket;
  bool is_erased = side.Take(block_idx, fingerprint, span.bucket);
  if (!is_erased && first_bucket + shown.stamp == span.bucket) {
    // The last copy of the youngest bucket: the next older one is shown instead.
    const std::optional<uint64_t> older =
        side.TakeYoungest(block_idx, fingerprint, span.first_kept);
    StampedSlot left;
    if (older) left = {fingerprint, static_cast<uint32_t>(*older - first_bucket)};
    StoreShown(block_idx, shown, left);
    is_erased = true;
  }
  SetBit(block_idx, side.Has(block_idx), &StampedGroup::copied);
  if (is_erased) ReturnFromLine(block_idx, kernels::StampAfter(span.first_kept, first_bucket));
  if (is_erased && side.is_limited()) Unspill(block_idx, span.first_kept);
  return is_erased;
}

// Moves a block's keys from the line to slots that have become usable.
void StampedStore::ReturnFromLine(uint64_t block_idx, uint64_t kept) {
  if ((GroupOf(block_idx).overflow & BitOf(block_idx)) == 0) return;
  StampedLine line = LineOf(block_idx);
  bool is_any_left = (line.spilled() & BitOf(block_idx)) != 0;
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    if (entry.fingerprint == 0 || entry.home != block_idx % kernels::kGroupBlocks) continue;
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

bool StampedStore::FinishElsewhere(Update update, const StampedSpan& span, uint64_t block_idx,
                                   uint32_t fingerprint) {
  return has_side_limit() ? FinishSpilled(update, span, block_idx, fingerprint)
                          : FinishWhole(update, span, block_idx, fingerprint);
}

// By the contents of the block: for those with keys in the side table alone.
bool StampedStore::FinishWhole(Update update, const StampedSpan& span, uint64_t block_idx,
                               uint32_t fingerprint) {
  StampedContents contents = ReadContents(block_idx, span.first_kept);
  if (update == Update::kErase) {
    if (!TakeCopy(contents, fingerprint, span.bucket)) return false;
  } else {
    if (update == Update::kInsertIfAbsent && CopiesOf(contents, fingerprint, span.first_live) > 0) {
      return false;
    }
    AddCopies(contents, {fingerprint, span.bucket, 1});
    if (!is_erasable_) KeepYoungest(contents);
  }
  StoreContents(block_idx, contents, span.first_kept);
  return true;
}

}  // namespace trommel
