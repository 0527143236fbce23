// Single keys of promoted blocks: what an update moves between slots, line and side table, and
// where a query looks beyond the slots.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/src/fingerprints/wide_store.h"
#include "kernels/presence_words.h"

namespace trommel {
namespace {

using kernels::kCopiesMark;
using kernels::kLineMark;
using kernels::kSpillMark;
using kernels::kWideSlots;
using kernels::WideSlot;

// Whole words, as the kernels write them.
void SetSlot(uint32_t* block, size_t slot_idx, uint32_t value) {
  const size_t shift = slot_idx % 2 * 16;
  uint32_t* word = block + slot_idx / 2;
  kernels::StorePresenceWord((*word & ~(0xffffU << shift)) | value << shift, word);
}

// The first slot below 31 with this key, or a free one (0).
std::optional<size_t> SlotWith(const uint32_t* block, uint32_t key) {
  for (size_t i = 0; i < kMarkSlot; ++i) {
    if (WideSlot(block, i) == key) return i;
  }
  return std::nullopt;
}

}  // namespace

bool WideStore::StoreAnew(uint64_t block_idx, const BlockContents& contents) {
  const WideForm form = OthersAreUndecided(block_idx) ? WideForm::kTight : WideForm::kRoomy;
  return StoreAs(form, block_idx, contents);
}

bool WideStore::InsertWhole(uint64_t block_idx, uint32_t key) {
  BlockContents contents = ReadContents(block_idx);
  AddTo(contents, key, 1);
  return StoreAnew(block_idx, contents);
}

Fate WideStore::UpdatePromoted(Update update, uint64_t block_idx, uint32_t key) {
  if (update == Update::kErase) {
    const bool is_erased = MarkOf(block_idx) == kLineMark ? EraseFromLine(block_idx, key)
                                                          : EraseFromSpilled(block_idx, key);
    return is_erased ? Fate::kChanged : Fate::kUnchanged;
  }
  // The kernel leaves no key that the block shows.
  if (update == Update::kInsertIfAbsent && HoldsElsewhere(block_idx, key)) return Fate::kUnchanged;
  if (InsertPromoted(block_idx, key)) return Fate::kChanged;
  RunningFigure& num_refused = RangeOf(block_idx).num_refused_inserts;
  num_refused.Set(num_refused.Get() + 1);
  return Fate::kRefused;
}

bool WideStore::InsertPromoted(uint64_t block_idx, uint32_t key) {
  uint32_t* block = BlockAt(block_idx);
  const uint32_t mark = MarkOf(block_idx);
  const auto is_shown = [&] {
    return SlotWith(block, key).has_value() || EntryOf(block_idx, key).has_value();
  };
  if (!IsSpill(mark)) {
    OverflowLine& line = LineOf(block_idx);
    const std::optional<size_t> entry = FreeEntry(line);
    const bool others_are_undecided = OthersAreUndecided(block_idx);
    if (mark == 0 && side_limit_bytes_ == 0 && entry && !others_are_undecided) {
      // The key in slot 31 makes space for the mark. That leaves one key in the line, where a
      // marked block has two: the next one comes at once.
      FillEntry(line, *entry, block_idx, WideSlot(block, kMarkSlot));
      SetSlot(block, kMarkSlot, kLineMark);
      return InsertPromoted(block_idx, key);
    }
    const bool is_whole = mark == 0 || !entry || (others_are_undecided && is_shown());
    if (is_whole) return InsertWhole(block_idx, key);
    FillEntry(line, *entry, block_idx, key);
    return true;
  }
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  if (mark == kCopiesMark && !is_shown()) {
    const std::optional<size_t> free_slot = SlotWith(block, 0);
    if (!free_slot) return InsertWhole(block_idx, key);
    SetSlot(block, *free_slot, key);
    hidden.ChangeTotal(block_idx, 1);
    return true;
  }
  return hidden.AddOne(block_idx, key);
}

// A key that leaves a slot is replaced by one of the line; when one is left there, it returns to
// slot 31.
bool WideStore::EraseFromLine(uint64_t block_idx, uint32_t key) {
  uint32_t* block = BlockAt(block_idx);
  OverflowLine& line = LineOf(block_idx);
  std::optional<size_t> erased;  // the entry that becomes free
  size_t num_entries = 0;
  size_t other = 0;  // any entry that stays
  for (size_t i = 0; i < kLineEntries; ++i) {
    if (!IsOf(line, i, block_idx)) continue;
    num_entries += 1;
    if (!erased && line.keys[i] == key) {
      erased = i;
    } else {
      other = i;
    }
  }
  if (!erased) {
    const std::optional<size_t> slot = SlotWith(block, key);
    if (!slot) return false;
    for (size_t i = 0; i < kLineEntries; ++i) {
      if (!IsOf(line, i, block_idx) || i == other) continue;
      erased = i;
    }
    SetSlot(block, *slot, line.keys[*erased]);
  }
  ClearEntry(line, *erased);
  if (num_entries == 2) {
    SetSlot(block, kMarkSlot, line.keys[other]);
    ClearEntry(line, other);
  }
  return true;
}

// Of a block with a record. It needs none that it has not, so no limit stands in its way.
bool WideStore::EraseFromSpilled(uint64_t block_idx, uint32_t key) {
  uint32_t* block = BlockAt(block_idx);
  OverflowLine& line = LineOf(block_idx);
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  const bool is_undecided = IsUndecided(block_idx);
  bool hides_none = false;
  if (hidden.CountOf(block_idx, key) > 0) {
    hidden.TakeOne(block_idx, key);
    hides_none = hidden.VisitKeys(block_idx, [](uint32_t) { return false; });
  } else if (const std::optional<size_t> slot = SlotWith(block, key)) {
    const std::optional<size_t> entry = EntryOf(block_idx, std::nullopt);
    SetSlot(block, *slot, entry ? line.keys[*entry] : 0);
    if (entry) ClearEntry(line, *entry);
    hidden.ChangeTotal(block_idx, -1);
    if (is_undecided) FillSlot(block_idx, *slot);
  } else if (const std::optional<size_t> entry = EntryOf(block_idx, key)) {
    ClearEntry(line, *entry);
    hidden.ChangeTotal(block_idx, -1);
  } else {
    return false;
  }
  if (hides_none || hidden.TotalOf(block_idx) <= kWideSlots) {
    StoreAnew(block_idx, ReadContents(block_idx));
  }
  return true;
}

void WideStore::FillSlot(uint64_t block_idx, size_t slot_idx) {
  uint32_t* block = BlockAt(block_idx);
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  uint32_t not_shown = 0;
  hidden.VisitKeys(block_idx, [block, &not_shown](uint32_t key) {
    if (SlotWith(block, key)) return true;
    not_shown = key;
    return false;
  });
  if (not_shown == 0) return;
  hidden.TakeOne(block_idx, not_shown);
  SetSlot(block, slot_idx, not_shown);
  hidden.ChangeTotal(block_idx, 1);
}

// --- Which blocks of a group are undecided.

// Past the capacity many blocks are undecided. They are looked at only if the line has more free
// entries than were too few for each of them.
void WideStore::Settle(uint64_t block_idx, bool has_spilled) {
  OverflowLine& line = LineOf(block_idx);
  if (line.undecided == 0) [[likely]]
    return;
  if (has_spilled) HideCopies(block_idx);
  Decide(block_idx);  // it may need no entry
  const auto num_free = static_cast<uint8_t>(NumFreeEntries(block_idx));
  if (!has_spilled && num_free <= line.too_few) {
    if (IsUndecided(block_idx)) line.too_few = num_free;
    return;
  }
  for (uint64_t left = line.undecided; left != 0; left &= left - 1) {
    Decide(block_idx - block_idx % kGroupBlocks + static_cast<uint64_t>(std::countr_zero(left)));
  }
  line.too_few = static_cast<uint8_t>(NumFreeEntries(block_idx));
}

void WideStore::SettleGroup(uint64_t first_block) {
  const uint64_t end = std::min(first_block + kGroupBlocks, geometry_.num_blocks);
  for (uint64_t b = first_block; b < end; ++b) NoteUndecided(b);
  Settle(first_block, true);
}

void WideStore::HideCopies(uint64_t block_idx) {
  const OverflowLine& line = LineOf(block_idx);
  uint64_t homes = 0;
  for (size_t i = 0; i < kLineEntries; ++i) {
    if (line.keys[i] != 0) homes |= uint64_t{1} << line.homes[i];
  }
  for (; homes != 0; homes &= homes - 1) {
    const uint64_t home =
        block_idx - block_idx % kGroupBlocks + static_cast<uint64_t>(std::countr_zero(homes));
    if (MarkOf(home) != kLineMark) continue;
    const BlockContents contents = ReadContents(home);
    if (contents.size() == TotalOf(contents)) continue;
    Counting(home, [&] { return StoreAs(WideForm::kTight, home, contents); });
  }
}

void WideStore::Decide(uint64_t block_idx) {
  if (!IsUndecided(block_idx)) return;
  const uint32_t* block = BlockAt(block_idx);
  size_t num_free = NumFreeEntries(block_idx);
  const bool has_space = RangeOf(block_idx).hidden.VisitKeys(block_idx, [&](uint32_t key) {
    if (SlotWith(block, key)) return true;
    if (num_free == 0) return false;
    num_free -= 1;
    return true;
  });
  if (!has_space) return;
  Counting(block_idx, [&] { return StoreAnew(block_idx, ReadContents(block_idx)); });
}

// --- Where a query looks beyond the slots.

std::optional<size_t> WideStore::EntryOf(uint64_t block_idx, std::optional<uint32_t> key) const {
  if (!HasEntries(MarkOf(block_idx))) return std::nullopt;
  const OverflowLine& line = LineOf(block_idx);
  for (size_t i = 0; i < kLineEntries; ++i) {
    if (IsOf(line, i, block_idx) && line.keys[i] == key.value_or(line.keys[i])) return i;
  }
  return std::nullopt;
}

bool WideStore::HoldsElsewhere(uint64_t block_idx, uint32_t key) const {
  if (!IsUndecided(block_idx)) return EntryOf(block_idx, key).has_value();
  return RangeOf(block_idx).hidden.CountOf(block_idx, key) > 0;
}

bool WideStore::MayHoldElsewhere(uint64_t block_idx, uint32_t key) const {
  // Slot 31 again: it may have changed since the kernel read it.
  const uint32_t* last = BlockAt(block_idx) + kWords - 1;
  const uint32_t mark = kernels::LoadPresenceWord(last) >> 16;
  if (mark == kSpillMark) return true;
  if (!HasEntries(mark)) return false;
  const OverflowLine& line = LineOf(block_idx);
  for (size_t i = 0; i < kLineEntries; ++i) {
    const uint16_t held = __atomic_load_n(&line.keys[i], __ATOMIC_RELAXED);
    const uint8_t home = __atomic_load_n(&line.homes[i], __ATOMIC_RELAXED);
    if (held == key && home == block_idx % kGroupBlocks) return true;
  }
  return false;
}

uint64_t WideStore::CountOf(uint64_t block_idx, uint32_t key) const {
  const uint32_t* block = BlockAt(block_idx);
  uint64_t count = 0;
  for (size_t i = 0; i < kWideSlots; ++i) count += uint64_t{WideSlot(block, i) == key};
  const uint32_t mark = MarkOf(block_idx);
  if (IsSpill(mark)) count += RangeOf(block_idx).hidden.CountOf(block_idx, key);
  if (HasEntries(mark)) {
    const OverflowLine& line = LineOf(block_idx);
    for (size_t i = 0; i < kLineEntries; ++i) {
      count += uint64_t{line.keys[i] == key && IsOf(line, i, block_idx)};
    }
  }
  return count;
}

}  // namespace trommel
