// Contents of wide blocks: read, stored, and in canonical form. Single keys of promoted blocks:
// wide_store_update.cc.
#include "engine/src/fingerprints/wide_store.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/src/fingerprints/line_entries.h"

namespace trommel {
namespace {

using kernels::kCopiesMark;
using kernels::kLineMark;
using kernels::kSpillMark;
using kernels::kWideSlots;
using kernels::WideSlot;

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

uint32_t WideStore::MarkOf(uint64_t block_idx) const {
  const uint32_t* block = BlockAt(block_idx);
  return kernels::IsMarkedWide(block) ? WideSlot(block, kMarkSlot) : 0;
}

bool WideStore::IsKey(uint32_t key) const {
  return key >> geometry_.fingerprint_bits == 0 && kernels::UnreservedWideKey(key) == key;
}

bool WideStore::IsReadable(uint64_t block_idx) const {
  const uint32_t mark = MarkOf(block_idx);
  return mark == 0 || mark == kLineMark || IsSpill(mark);
}

uint64_t WideStore::CoveredBy(uint32_t key) const {
  const uint32_t low = key & 0xff;
  return low == 0x01 || low == 0xfe ? 2 : 1;
}

// --- Contents.

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

void WideStore::FreeEntriesOf(uint64_t block_idx) {
  OverflowLine& line = LineOf(block_idx);
  for (size_t i = 0; i < kLineEntries; ++i) {
    if (IsOf(line, i, block_idx)) ClearEntry(line, i);
  }
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

FingerprintStore::Needs WideStore::NeedsOf(const BlockContents& contents, size_t num_free_entries,
                                           const HiddenKeys& hidden) const {
  const Encoded encoded = Encode(contents, num_free_entries, WideForm::kRoomy);
  const bool has_record = IsSpill(encoded.mark);
  return {.line_entries = encoded.line.size(),
          .has_record = has_record,
          .fits_record = !has_record || FitsRecord(contents, encoded, hidden)};
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
  if (HasEntries(mark)) FreeEntriesOf(block_idx);
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
    for (const Promoted& block : promoted) StoreContents(block.block_idx, {});
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

// By counting for each key how many are below it: plain loops over a known number of slots, which
// compilers vectorize, are a quarter of the time of std::sort.
void WideStore::WritePlain(uint64_t block_idx, uint32_t* words) const {
  std::array<uint16_t, kWideSlots> keys;
  std::memcpy(keys.data(), BlockAt(block_idx), sizeof(keys));
  // In the order of signed numbers, free slots last.
  std::array<int16_t, kWideSlots> order;
  std::array<int16_t, kWideSlots> rank{};
  size_t num_keys = 0;
  for (size_t i = 0; i < kWideSlots; ++i) {
    order[i] = static_cast<int16_t>(static_cast<uint16_t>(keys[i] - 1) ^ 0x8000);
    num_keys += static_cast<size_t>(keys[i] != 0);
  }
  for (size_t i = 0; i < kWideSlots; ++i) {
    const int16_t below = order[i];
    for (size_t j = 0; j < kWideSlots; ++j) {
      rank[j] = static_cast<int16_t>(rank[j] + static_cast<int16_t>(below < order[j]));
    }
  }
  std::array<uint16_t, kWideSlots> sorted{};
  for (size_t j = 0; j < kWideSlots; ++j) sorted[static_cast<size_t>(rank[j])] = keys[j];
  // Copies have one rank: the places behind it are still free.
  for (size_t i = 1; i < num_keys; ++i) {
    if (sorted[i] == 0) sorted[i] = sorted[i - 1];
  }
  std::memcpy(words, sorted.data(), sizeof(sorted));
}

// Plain loops over a known number of slots: compilers vectorize them.
std::optional<size_t> WideStore::PlainKeys(uint64_t block_idx) const {
  std::array<uint16_t, kWideSlots> keys;
  std::memcpy(keys.data(), BlockAt(block_idx), sizeof(keys));
  const auto most = static_cast<uint16_t>((uint32_t{1} << geometry_.fingerprint_bits) - 1);
  uint16_t num_keys = 0;
  uint16_t is_bad = 0;
  for (const uint16_t key : keys) {
    const auto low = static_cast<uint16_t>(key & 0xff);
    const auto is_key = static_cast<uint16_t>(key != 0);
    num_keys += is_key;
    is_bad |= static_cast<uint16_t>(is_key & static_cast<uint16_t>(low == 0)) |
              static_cast<uint16_t>(low == 0xff) | static_cast<uint16_t>(key > most);
  }
  for (size_t i = 0; i + 1 < keys.size(); ++i) {
    const auto here = static_cast<uint16_t>(keys[i] - 1);
    const auto next = static_cast<uint16_t>(keys[i + 1] - 1);
    is_bad |= static_cast<uint16_t>(here > next);
  }
  if (is_bad != 0) return std::nullopt;
  return num_keys;
}

// Blocks in order take what is left of the line; of one that the rest of the line cannot take,
// nothing is in it.
BlockContents WideStore::WritePromoted(const BlockContents& contents, uint64_t block_idx,
                                       uint32_t* words, uint32_t* line, size_t& num_entries) const {
  Encoded encoded = Encode(contents, kLineEntries - num_entries, WideForm::kCanonical);
  for (const uint32_t key : encoded.line) {
    FillEntry(*reinterpret_cast<OverflowLine*>(line), num_entries++, block_idx, key);
  }
  kernels::EncodeWide(encoded.slots, encoded.mark, words);
  return std::move(encoded.hidden);
}

}  // namespace trommel
