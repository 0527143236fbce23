// Single keys of promoted wide blocks: what an update moves between slots, line and side table, and
// where a query looks beyond the slots.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/src/fingerprints/line_entries.h"
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

// The key in slot 31 makes space for the mark. That leaves one key in the line, where a marked
// block has two: the next one comes at once.
void WideStore::Promote(uint64_t block_idx) {
  uint32_t* block = BlockAt(block_idx);
  OverflowLine& line = LineOf(block_idx);
  if (const std::optional<size_t> entry = FreeEntry(line)) {
    FillEntry(line, *entry, block_idx, WideSlot(block, kMarkSlot));
    SetSlot(block, kMarkSlot, kLineMark);
    return;
  }
  const BlockContents contents = ReadContents(block_idx);
  BlockContents hidden;
  std::vector<uint32_t> slots;
  for (const BlockKey& entry : contents) {
    const bool is_shown = slots.size() < kMarkSlot;
    if (is_shown) slots.push_back(entry.key);
    const uint64_t left = entry.count - uint64_t{is_shown};
    if (left > 0) hidden.push_back({entry.key, left});
  }
  RangeOf(block_idx).hidden.Put(block_idx, hidden, TotalOf(contents));
  kernels::EncodeWide(slots, contents.size() <= kMarkSlot ? kCopiesMark : kSpillMark, block);
}

bool WideStore::InsertPromoted(uint64_t block_idx, uint32_t key) {
  uint32_t* block = BlockAt(block_idx);
  if (MarkOf(block_idx) == kLineMark) {
    OverflowLine& line = LineOf(block_idx);
    if (const std::optional<size_t> entry = FreeEntry(line)) {
      FillEntry(line, *entry, block_idx, key);
      return true;
    }
    return InsertWhole(block_idx, key);
  }
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  const bool is_shown = SlotWith(block, key).has_value();
  if (!is_shown && hidden.CountOf(block_idx, key) == 0) {
    if (const std::optional<size_t> free_slot = SlotWith(block, 0)) {
      SetSlot(block, *free_slot, key);
      hidden.ChangeTotal(block_idx, 1);
      return true;
    }
  }
  if (!hidden.AddOne(block_idx, key)) return false;
  if (!is_shown) SetSlot(block, kMarkSlot, kSpillMark);
  return true;
}

bool WideStore::ErasePromoted(uint64_t block_idx, uint32_t key) {
  return MarkOf(block_idx) == kLineMark ? EraseFromLine(block_idx, key)
                                        : EraseFromSpilled(block_idx, key);
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

bool WideStore::EraseFromSpilled(uint64_t block_idx, uint32_t key) {
  uint32_t* block = BlockAt(block_idx);
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  if (hidden.CountOf(block_idx, key) > 0) {
    hidden.TakeOne(block_idx, key);
  } else if (const std::optional<size_t> slot = SlotWith(block, key)) {
    SetSlot(block, *slot, 0);
    hidden.ChangeTotal(block_idx, -1);
    FillSlot(block_idx, *slot);
  } else {
    return false;
  }
  if (hidden.TotalOf(block_idx) <= kWideSlots) {
    StoreContents(block_idx, ReadContents(block_idx));
  } else if (MarkOf(block_idx) == kSpillMark && ShowsAll(block_idx)) {
    SetSlot(block, kMarkSlot, kCopiesMark);
  }
  return true;
}

bool WideStore::ShowsAll(uint64_t block_idx) const {
  const uint32_t* block = BlockAt(block_idx);
  return RangeOf(block_idx).hidden.VisitKeys(
      block_idx, [block](uint32_t key) { return SlotWith(block, key).has_value(); });
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

bool WideStore::HoldsElsewhere(uint64_t block_idx, uint32_t key) const {
  const uint32_t mark = MarkOf(block_idx);
  if (mark == kCopiesMark) return false;
  if (mark == kSpillMark) return RangeOf(block_idx).hidden.CountOf(block_idx, key) > 0;
  const OverflowLine& line = LineOf(block_idx);
  for (size_t i = 0; i < kLineEntries; ++i) {
    if (line.keys[i] == key && IsOf(line, i, block_idx)) return true;
  }
  return false;
}

bool WideStore::MayHoldElsewhere(uint64_t block_idx, uint32_t key) const {
  // Slot 31 again: it may have changed since the kernel read it.
  const uint32_t* last = BlockAt(block_idx) + kernels::kFingerprintBlockWords - 1;
  const uint32_t mark = kernels::LoadPresenceWord(last) >> 16;
  if (mark == kSpillMark) return true;
  if (mark != kLineMark) return false;
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
  if (mark == kLineMark) {
    const OverflowLine& line = LineOf(block_idx);
    for (size_t i = 0; i < kLineEntries; ++i) {
      count += uint64_t{line.keys[i] == key && IsOf(line, i, block_idx)};
    }
  }
  return count;
}

}  // namespace trommel
