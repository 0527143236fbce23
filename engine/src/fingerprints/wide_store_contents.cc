// How a block keeps its contents: read, stored, and in the form that files have.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/src/fingerprints/wide_store.h"
#include "kernels/wide_block.h"

namespace trommel {
namespace {

using kernels::kCopiesMark;
using kernels::kLineMark;
using kernels::kSpillMark;
using kernels::kWideSlots;

// A spilled block should show the keys that leave the fewest entries for its record. A key that is
// there once needs none when it is shown; one that is there more often needs one either way, unless
// its count is beyond a record's.
bool IsBestShown(const BlockKey& entry) { return entry.count == 1 || entry.count > 0xffff; }

// How a block keeps its contents, with so many free entries in its line.
struct Encoded {
  uint32_t mark = 0;
  InlineVector<uint32_t, kInlineBlockKeys> slots;
  InlineVector<uint32_t, kInlineBlockKeys> line;
  BlockContents hidden;
};

Encoded Encode(const BlockContents& contents, size_t num_free_entries, WideForm form) {
  Encoded encoded;
  const uint64_t total = TotalOf(contents);
  const bool hides_copies = form == WideForm::kTight && contents.size() < total;
  if (total <= kWideSlots || (total <= kMarkSlot + num_free_entries && !hides_copies)) {
    for (const BlockKey& entry : contents) {
      encoded.slots.Append(entry.count, entry.key);
    }
    if (total <= kWideSlots) return encoded;
    encoded.mark = kLineMark;
    encoded.line.Append(encoded.slots.begin() + kMarkSlot, encoded.slots.end());
    encoded.slots.Truncate(kMarkSlot);
    return encoded;
  }
  const bool may_use_line = form == WideForm::kRoomy || form == WideForm::kTight;
  const size_t most_shown = kMarkSlot + (may_use_line ? num_free_entries : 0);
  const bool shows_all = contents.size() <= most_shown;
  encoded.mark = shows_all ? kCopiesMark : kSpillMark;
  const size_t num_shown = shows_all ? contents.size() : kMarkSlot;
  const auto is_best = [form](const BlockKey& entry) {
    return form == WideForm::kCanonical || IsBestShown(entry);
  };
  const auto num_best = static_cast<size_t>(std::ranges::count_if(contents, is_best));
  size_t best_places = std::min(num_best, num_shown);
  size_t other_places = num_shown - best_places;
  for (const BlockKey& entry : contents) {
    size_t& places = is_best(entry) ? best_places : other_places;
    const bool is_shown = places > 0;
    if (is_shown) {
      (encoded.slots.size() < kMarkSlot ? encoded.slots : encoded.line).push_back(entry.key);
      places -= 1;
    }
    const uint64_t left = entry.count - uint64_t{is_shown};
    if (left > 0) encoded.hidden.push_back({entry.key, left});
  }
  return encoded;
}

// Can the block's record be this? With a limit it must also be able to become that of the spilled
// block: so a line that is taken by blocks with records never makes an insertion be refused, and
// SpillFewest needs no more records than there are.
bool FitsRecord(const BlockContents& contents, const Encoded& encoded, const HiddenKeys& hidden) {
  if (!hidden.FitsRecord(encoded.hidden)) return false;
  return !hidden.is_limited() || encoded.line.empty() ||
         HiddenKeys::IsShort(Encode(contents, 0, WideForm::kFewestRecords).hidden);
}

}  // namespace

BlockContents WideStore::ReadContents(uint64_t block_idx) const {
  const uint32_t mark = MarkOf(block_idx);
  BlockContents contents;
  if (IsSpill(mark)) contents = RangeOf(block_idx).hidden.ContentsOf(block_idx);
  std::array<uint32_t, kWideSlots> keys;
  const size_t num_keys = kernels::DecodeWide(BlockAt(block_idx), keys);
  contents.reserve(contents.size() + num_keys + kLineEntries);
  for (size_t i = 0; i < num_keys; ++i) {
    // Keys ascend: without hidden ones each goes to the end.
    if (contents.empty() || contents.back().key < keys[i]) {
      contents.push_back({keys[i], 1});
    } else {
      AddTo(contents, keys[i], 1);
    }
  }
  if (!HasEntries(mark)) return contents;
  const OverflowLine& line = LineOf(block_idx);
  for (size_t i = 0; i < kLineEntries; ++i) {
    if (IsOf(line, i, block_idx)) AddTo(contents, line.keys[i], 1);
  }
  return contents;
}

size_t WideStore::NumEntriesOf(uint64_t block_idx) const {
  if (!HasEntries(MarkOf(block_idx))) return 0;
  const OverflowLine& line = LineOf(block_idx);
  size_t num_entries = 0;
  for (size_t i = 0; i < kLineEntries; ++i) num_entries += size_t{IsOf(line, i, block_idx)};
  return num_entries;
}

size_t WideStore::NumFreeEntries(uint64_t block_idx) const {
  return static_cast<size_t>(std::ranges::count(LineOf(block_idx).keys, 0));
}

bool WideStore::StoreAs(WideForm form, uint64_t block_idx, const BlockContents& contents) {
  const uint32_t mark = MarkOf(block_idx);
  OverflowLine& line = LineOf(block_idx);
  const size_t num_free_entries = NumFreeEntries(block_idx) + NumEntriesOf(block_idx);
  Encoded encoded = Encode(contents, num_free_entries, form);
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  if (IsSpill(encoded.mark) &&
      !(FitsRecord(contents, encoded, hidden) && hidden.CanPut(block_idx, encoded.hidden))) {
    return form == WideForm::kTight && StoreAs(WideForm::kRoomy, block_idx, contents);
  }
  for (size_t i = 0; HasEntries(mark) && i < kLineEntries; ++i) {
    if (IsOf(line, i, block_idx)) ClearEntry(line, i);
  }
  if (IsSpill(encoded.mark)) {
    hidden.Put(block_idx, encoded.hidden, TotalOf(contents));
  } else if (IsSpill(mark)) {
    hidden.Remove(block_idx);
  }
  for (const uint32_t key : encoded.line) FillEntry(line, *FreeEntry(line), block_idx, key);
  kernels::EncodeWide(encoded.slots, encoded.mark, BlockAt(block_idx));
  NoteUndecided(block_idx);
  return true;
}

bool WideStore::WriteContents(uint64_t block_idx, const BlockContents& contents) {
  const bool is_stored =
      Counting(block_idx, [&] { return StoreAs(WideForm::kRoomy, block_idx, contents); });
  Settle(block_idx, true);
  return is_stored;
}

// A line serves the most blocks if those that need the fewest entries come first, behind those
// that hide more than a record holds when they are spilled.
void WideStore::SpillFewest() noexcept {
  struct Promoted {
    bool may_spill;
    uint64_t num_keys;
    uint64_t block_idx;
    BlockContents contents;
  };
  std::vector<Promoted> promoted;
  for (uint64_t first = 0; first < geometry_.num_blocks; first += kGroupBlocks) {
    const uint64_t end = std::min(first + kGroupBlocks, geometry_.num_blocks);
    bool has_spilled = false;
    promoted.clear();
    for (uint64_t b = first; b < end; ++b) {
      if (!IsPromoted(b)) continue;
      has_spilled = has_spilled || HasHidden(b);
      BlockContents contents = ReadContents(b);
      const bool may_spill =
          HiddenKeys::IsShort(Encode(contents, 0, WideForm::kFewestRecords).hidden);
      promoted.push_back({may_spill, TotalOf(contents), b, std::move(contents)});
    }
    if (!has_spilled) continue;
    for (const Promoted& block : promoted) StoreAs(WideForm::kRoomy, block.block_idx, {});
    std::ranges::sort(promoted, {}, [](const Promoted& block) {
      return std::tuple(block.may_spill, block.num_keys, block.block_idx);
    });
    for (const Promoted& block : promoted) {
      StoreAs(WideForm::kFewestRecords, block.block_idx, block.contents);
    }
    LineOf(first).too_few = 0;
    Settle(first, false);
  }
}

// Goes through the blocks as Merge does, and keeps account of what each step would leave.
bool WideStore::CanMerge(const Store& other) const try {
  assert(geometry_ == other.geometry());
  if (side_limit_bytes_ == 0) return true;
  const uint64_t num_blocks = blocks_per_owned_range();
  for (size_t r = 0; r < ranges_.size(); ++r) {
    const HiddenKeys& hidden = ranges_[r].hidden;
    uint64_t num_records = hidden.num_blocks();
    size_t num_free = 0;
    for (uint64_t b = r * num_blocks; b < (r + 1) * num_blocks; ++b) {
      if (b % kGroupBlocks == 0) num_free = NumFreeEntries(b);
      const BlockContents theirs = other.ReadContents(b);
      if (theirs.empty()) continue;
      BlockContents merged = ReadContents(b);
      for (const BlockKey& entry : theirs) AddTo(merged, entry.key, entry.count);
      num_free += NumEntriesOf(b);
      const Encoded encoded = Encode(merged, num_free, WideForm::kRoomy);
      num_free -= encoded.line.size();
      const bool has_record = IsSpill(encoded.mark);
      num_records += uint64_t{has_record} - uint64_t{HasHidden(b)};
      if (has_record && !FitsRecord(merged, encoded, hidden)) return false;
      if (num_records > hidden.max_records()) return false;
    }
  }
  return true;
} catch (const std::bad_alloc&) {  // of contents larger than a limit leaves space for
  return false;
}

// Blocks in order take what is left of the line; of one that the rest of the line cannot take,
// nothing is in it.
BlockContents WideStore::WritePromoted(const BlockContents& contents, uint64_t block_idx,
                                       uint32_t* words, uint32_t* line, size_t& num_entries) {
  Encoded encoded = Encode(contents, kLineEntries - num_entries, WideForm::kCanonical);
  for (const uint32_t key : encoded.line) {
    FillEntry(*reinterpret_cast<OverflowLine*>(line), num_entries++, block_idx, key);
  }
  kernels::EncodeWide(encoded.slots, encoded.mark, words);
  return std::move(encoded.hidden);
}

}  // namespace trommel
