// Contents of wide blocks: read, stored, and in canonical form. Single keys of promoted blocks:
// wide_store_update.cc.
#include "engine/src/fingerprints/wide_store.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

// Which keys a spilled block shows: the lowest ones, as in a snapshot, or those that leave the
// fewest entries for its record. A key that is there once needs none when it is shown; one that is
// there more often needs one either way, unless its count is beyond a record's.
enum class Shows : uint8_t { kLowest, kFewestHidden };

bool IsBestShown(const BlockKey& entry) { return entry.count == 1 || entry.count > 0xffff; }

// How a block keeps its contents, with so many free entries in its line.
struct Encoded {
  uint32_t mark = 0;
  InlineVector<uint32_t, kInlineBlockKeys> slots;
  InlineVector<uint32_t, kInlineBlockKeys> line;
  BlockContents hidden;
};

Encoded Encode(const BlockContents& contents, size_t num_free_entries, Shows shows) {
  Encoded encoded;
  const uint64_t total = TotalOf(contents);
  if (total <= kMarkSlot + num_free_entries || total <= kWideSlots) {
    for (const BlockKey& entry : contents) {
      encoded.slots.Append(entry.count, entry.key);
    }
    if (total <= kWideSlots) return encoded;
    encoded.mark = kLineMark;
    encoded.line.Append(encoded.slots.begin() + kMarkSlot, encoded.slots.end());
    encoded.slots.Truncate(kMarkSlot);
    return encoded;
  }
  encoded.mark = contents.size() <= kMarkSlot ? kCopiesMark : kSpillMark;
  const auto is_best = [shows](const BlockKey& entry) {
    return shows == Shows::kLowest || IsBestShown(entry);
  };
  const auto num_best = static_cast<size_t>(std::ranges::count_if(contents, is_best));
  size_t best_slots = std::min(num_best, kMarkSlot);
  size_t other_slots = kMarkSlot - best_slots;
  for (const BlockKey& entry : contents) {
    size_t& slots = is_best(entry) ? best_slots : other_slots;
    const bool is_shown = slots > 0;
    if (is_shown) {
      encoded.slots.push_back(entry.key);
      slots -= 1;
    }
    const uint64_t left = entry.count - uint64_t{is_shown};
    if (left > 0) encoded.hidden.push_back({entry.key, left});
  }
  return encoded;
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
  if (mark != kLineMark) return contents;
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
  if (MarkOf(block_idx) != kLineMark) return 0;
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
  const Encoded encoded = Encode(contents, num_free_entries, Shows::kFewestHidden);
  return {.line_entries = encoded.line.size(),
          .has_record = IsSpill(encoded.mark),
          .fits_record = hidden.FitsRecord(encoded.hidden)};
}

bool WideStore::StoreContents(uint64_t block_idx, const BlockContents& contents) {
  const uint32_t mark = MarkOf(block_idx);
  OverflowLine& line = LineOf(block_idx);
  const Encoded encoded =
      Encode(contents, NumFreeEntries(block_idx) + NumEntriesOf(block_idx), Shows::kFewestHidden);
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  if (IsSpill(encoded.mark) && !hidden.CanPut(block_idx, encoded.hidden)) return false;
  if (mark == kLineMark) FreeEntriesOf(block_idx);
  if (IsSpill(encoded.mark)) {
    hidden.Put(block_idx, encoded.hidden, TotalOf(contents));
  } else if (IsSpill(mark)) {
    hidden.Remove(block_idx);
  }
  for (const uint32_t key : encoded.line) FillEntry(line, *FreeEntry(line), block_idx, key);
  kernels::EncodeWide(encoded.slots, encoded.mark, BlockAt(block_idx));
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
      const bool may_spill = HiddenKeys::IsShort(Encode(contents, 0, Shows::kFewestHidden).hidden);
      promoted.push_back({may_spill, TotalOf(contents), b, std::move(contents)});
    }
    if (!has_spilled) continue;
    for (const Promoted& block : promoted) StoreContents(block.block_idx, {});
    std::ranges::sort(promoted, {}, [](const Promoted& block) {
      return std::tuple(block.may_spill, block.num_keys, block.block_idx);
    });
    for (const Promoted& block : promoted) StoreContents(block.block_idx, block.contents);
  }
}

// Blocks in order take what is left of the line; of one that the rest of the line cannot take,
// nothing is in it.
CanonicalGroup WideStore::Canonical(std::span<const BlockContents> contents) const {
  CanonicalGroup group;
  group.block_words.resize(contents.size() * kernels::kFingerprintBlockWords);
  group.line_words.resize(kernels::kFingerprintBlockWords);
  group.hidden.resize(contents.size());
  auto& line = *reinterpret_cast<OverflowLine*>(group.line_words.data());
  size_t num_entries = 0;
  for (size_t b = 0; b < contents.size(); ++b) {
    Encoded encoded = Encode(contents[b], kLineEntries - num_entries, Shows::kLowest);
    for (const uint32_t key : encoded.line) FillEntry(line, num_entries++, b, key);
    kernels::EncodeWide(encoded.slots, encoded.mark,
                        group.block_words.data() + b * kernels::kFingerprintBlockWords);
    group.hidden[b] = std::move(encoded.hidden);
  }
  return group;
}

}  // namespace trommel
