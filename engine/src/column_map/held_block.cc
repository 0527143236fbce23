#include "engine/src/column_map/held_block.h"

#include <algorithm>

namespace trommel {

void PairStore::HeldBlock::SetSlot(uint32_t i, uint32_t slot) {
  Count(stripe_.num_slots_in_use, slot != 0 ? 1 : -1);
  kernels::SetMapSlot(block_, blocks_, i, slot);
}

PairStore::HeldBlock::Found PairStore::HeldBlock::Find(uint32_t fingerprint,
                                                       uint32_t column) const {
  Found found;
  const uint32_t match = SlotsOf(fingerprint);
  found.slots = match & ~kernels::kMapFlagsBit;
  const uint32_t wanted = SlotFor(fingerprint, column);
  for (uint32_t left = found.slots; left != 0; left &= left - 1) {
    const uint32_t slot = SlotAt(static_cast<uint32_t>(std::countr_zero(left)));
    if (slot == wanted) found.slot_of_pair = left & -left;
    found.is_marked |= slot == SlotFor(fingerprint, blocks_.mark());
  }
  found.has_pair = found.slot_of_pair != 0;
  if (found.is_marked || (found.slots == 0 && match != 0)) {
    found.entry = table_.Find(home_ | fingerprint);
    if (found.entry != nullptr) {
      found.has_pair = stripe_.sets.Contains(EntryAt(found.entry), column);
    }
  }
  return found;
}

bool PairStore::HeldBlock::Insert(uint32_t fingerprint, uint32_t column, uint64_t num_copies) {
  const Found found = Find(fingerprint, column);
  const uint64_t num_more = found.has_pair ? num_copies : num_copies - 1;
  const PairKey key{block_idx_, fingerprint, column};
  if (num_more != 0 && !stripe_.copies.Add(key, num_more)) return false;
  if (found.has_pair || AddPair(found, fingerprint, column)) return true;
  if (num_more != 0) stripe_.copies.Forget(key);
  return false;
}

bool PairStore::HeldBlock::AddPair(const Found& found, uint32_t fingerprint, uint32_t column) {
  const Change change(blocks_.lines, version_idx());
  if (found.entry != nullptr) return AddToEntry(found.entry, column);
  const auto num_in_slots = static_cast<size_t>(std::popcount(found.slots));
  uint32_t free = FreeSlots();
  if (num_in_slots == max_in_slots() || (free == 0 && num_in_slots != 0)) {
    if (!Promote(fingerprint, found.slots, column)) return false;
    if (has_hidden()) ShowHidden();
    return true;
  }
  if (free == 0) {
    const uint32_t largest = LargestInSlots();
    if (largest == kNone) return Hide(fingerprint, column);
    if (!Promote(largest, SlotsOf(largest) & ~kernels::kMapFlagsBit, kNone)) return false;
    free = FreeSlots();
  }
  SetSlot(static_cast<uint32_t>(std::countr_zero(free)), SlotFor(fingerprint, column));
  if (has_hidden()) ShowHidden();  // more slots than one may have become free
  return true;
}

bool PairStore::HeldBlock::Erase(uint32_t fingerprint, uint32_t column) {
  const Found found = Find(fingerprint, column);
  if (!found.has_pair) return false;
  if (!stripe_.copies.empty() && stripe_.copies.TakeOne({block_idx_, fingerprint, column})) {
    return true;
  }
  RemovePair(found, fingerprint, column);
  return true;
}

void PairStore::HeldBlock::EraseWhole(uint32_t fingerprint, uint32_t column) {
  if (!stripe_.copies.empty()) stripe_.copies.Forget({block_idx_, fingerprint, column});
  RemovePair(Find(fingerprint, column), fingerprint, column);
}

void PairStore::HeldBlock::RemovePair(const Found& found, uint32_t fingerprint, uint32_t column) {
  const Change change(blocks_.lines, version_idx());
  if (found.entry != nullptr) return RemoveFromEntry(found, fingerprint, column);
  SetSlot(static_cast<uint32_t>(std::countr_zero(found.slot_of_pair)), 0);
  if (has_hidden()) ShowHidden();
}

bool PairStore::HeldBlock::AddEntry(uint32_t fingerprint, bool is_hidden,
                                    std::span<const uint16_t> columns) {
  const MapEntry entry = stripe_.sets.Make(home_ | fingerprint, is_hidden, columns);
  if (entry.is_free()) return false;
  if (!table_.Add(entry)) {
    stripe_.sets.Free(entry);
    return false;
  }
  Count(is_hidden ? stripe_.num_hidden : stripe_.num_marks, 1);
  Count(stripe_.num_pairs_elsewhere, static_cast<int64_t>(columns.size()));
  return true;
}

bool PairStore::HeldBlock::Promote(uint32_t fingerprint, uint32_t slots, uint32_t column) {
  SomeColumns columns;
  for (uint32_t left = slots; left != 0; left &= left - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(left));
    columns.push_back(static_cast<uint16_t>(SlotAt(i) & blocks_.mark()));
  }
  if (column != kNone) columns.push_back(static_cast<uint16_t>(column));
  std::ranges::sort(columns);
  if (!AddEntry(fingerprint, false, columns)) return false;
  for (uint32_t left = slots; left != 0; left &= left - 1) {
    SetSlot(static_cast<uint32_t>(std::countr_zero(left)), 0);
  }
  SetSlot(static_cast<uint32_t>(std::countr_zero(slots)), SlotFor(fingerprint, blocks_.mark()));
  return true;
}

uint32_t PairStore::HeldBlock::LargestInSlots() const {
  uint32_t best = kNone;
  int best_size = 1;
  const uint32_t num_slots = blocks_.num_slots();
  for (uint32_t i = 0; i < num_slots; ++i) {
    const uint32_t fingerprint = SlotAt(i) >> blocks_.column_bits();
    const int size = std::popcount(SlotsOf(fingerprint) & ~kernels::kMapFlagsBit);
    if (size < best_size || (size == best_size && (size == 1 || fingerprint >= best))) continue;
    best = fingerprint;
    best_size = size;
  }
  return best;
}

bool PairStore::HeldBlock::Hide(uint32_t fingerprint, uint32_t column) {
  const auto only = static_cast<uint16_t>(column);
  if (!AddEntry(fingerprint, true, {&only, 1})) return false;
  kernels::SetHiddenFlag(block_, blocks_, true);
  return true;
}

bool PairStore::HeldBlock::AddToEntry(uint64_t* entry, uint32_t column) {
  const MapEntry larger = stripe_.sets.Add(EntryAt(entry), column);
  if (larger.is_free()) return false;
  StoreWord(larger.bits(), entry);
  Count(stripe_.num_pairs_elsewhere, 1);
  return true;
}

void PairStore::HeldBlock::RemoveFromEntry(const Found& found, uint32_t fingerprint,
                                           uint32_t column) {
  const MapEntry entry = EntryAt(found.entry);
  const size_t left = stripe_.sets.SizeOf(entry) - 1;
  Count(stripe_.num_pairs_elsewhere, -1);
  if (left != 0) {
    StoreWord(stripe_.sets.Remove(entry, column).bits(), found.entry);
    if (entry.is_hidden() || left > back_in_slots()) return;
    const auto num_free = static_cast<size_t>(std::popcount(FreeSlots()));
    if (left <= num_free + 1) MoveToSlots(found.entry);
    return;
  }
  stripe_.sets.Free(entry);
  table_.Remove(found.entry);
  if (entry.is_hidden()) {
    Count(stripe_.num_hidden, -1);
  } else {
    SetSlot(static_cast<uint32_t>(std::countr_zero(SlotsOf(fingerprint))), 0);
    Count(stripe_.num_marks, -1);
  }
  if (has_hidden()) ShowHidden();
}

void PairStore::HeldBlock::MoveToSlots(uint64_t* entry_word) {
  const MapEntry entry = EntryAt(entry_word);
  SomeColumns columns;
  stripe_.sets.ForEach(entry, [&](uint16_t column) { columns.push_back(column); });
  stripe_.sets.Free(entry);
  table_.Remove(entry_word);
  if (entry.is_hidden()) {
    Count(stripe_.num_hidden, -1);
  } else {
    const uint32_t mark = SlotsOf(entry.fingerprint()) & ~kernels::kMapFlagsBit;
    SetSlot(static_cast<uint32_t>(std::countr_zero(mark)), 0);
    Count(stripe_.num_marks, -1);
  }
  Count(stripe_.num_pairs_elsewhere, -static_cast<int64_t>(columns.size()));
  uint32_t free = FreeSlots();
  for (const uint16_t column : columns) {
    SetSlot(static_cast<uint32_t>(std::countr_zero(free)), SlotFor(entry.fingerprint(), column));
    free &= free - 1;
  }
}

void PairStore::HeldBlock::ShowHidden() {
  // Of the group's version, so that the same history shows the same places.
  const auto start = static_cast<uint32_t>(LoadWord(blocks_.lines.versions + version_idx()));
  for (;;) {
    const uint32_t free = FreeSlots();
    if (free == 0) return;
    uint64_t* const hidden = table_.FindFrom(start, [this](MapEntry entry) {
      return entry.is_hidden() && (entry.key() & ~0xffffU) == home_;
    });
    if (hidden == nullptr) return kernels::SetHiddenFlag(block_, blocks_, false);
    const MapEntry entry = EntryAt(hidden);
    const size_t size = stripe_.sets.SizeOf(entry);
    if (size == 1 ||
        (size <= back_in_slots() && size <= static_cast<size_t>(std::popcount(free)))) {
      MoveToSlots(hidden);
    } else {
      StoreWord(entry.With(false).bits(), hidden);
      SetSlot(static_cast<uint32_t>(std::countr_zero(free)),
              SlotFor(entry.fingerprint(), blocks_.mark()));
      Count(stripe_.num_hidden, -1);
      Count(stripe_.num_marks, 1);
    }
  }
}

}  // namespace trommel
