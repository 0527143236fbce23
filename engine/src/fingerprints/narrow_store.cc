#include "engine/src/fingerprints/narrow_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "kernels/presence_words.h"

namespace trommel {
namespace {

using kernels::kNarrowSlots;

// The bins' word i of a block.
uint64_t BinWord(const uint32_t* block, size_t i) {
  uint64_t word = 0;
  std::memcpy(&word, block + 12 + 2 * i, sizeof(word));
  return word;
}

// Where the word's bins end.
uint64_t EndsOf(const uint32_t* block, size_t i) {
  return (BinWord(block, i) & ~kernels::kPromotedBins) ^ kernels::kEmptyBins;
}

uint32_t NumKeysIn(uint64_t ends) {
  return static_cast<uint32_t>(std::bit_width(ends)) - static_cast<uint32_t>(std::popcount(ends));
}

using KeyList = InlineVector<uint32_t, kInlineBlockKeys>;

KeyList WithCopies(const BlockContents& contents) {
  KeyList keys;
  for (const BlockKey& entry : contents) keys.Append(entry.count, entry.key);
  return keys;
}

}  // namespace

// Bits of unary words that mean what kernels take for granted.
bool NarrowStore::IsReadable(uint64_t block_idx) const {
  const uint32_t* block = BlockAt(block_idx);
  const bool is_promoted = (BinWord(block, 0) & kernels::kPromotedBins) != 0;
  uint32_t num_keys = 0;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (((BinWord(block, i) & kernels::kPromotedBins) != 0) != is_promoted) return false;
    const uint64_t ends = EndsOf(block, i);
    const auto num_bins = static_cast<uint32_t>(std::popcount(ends));
    if (num_bins > kernels::kBinsPerWord) return false;
    if (!is_promoted && num_bins != kernels::kBinsPerWord) return false;
    const uint32_t keys_of_word = NumKeysIn(ends);
    if (keys_of_word > kernels::kMaxKeysPerBinWord) return false;
    num_keys += keys_of_word;
  }
  return num_keys <= kNarrowSlots;
}

// --- Contents.

BlockContents NarrowStore::ReadContents(uint64_t block_idx) const {
  BlockContents contents;
  std::array<uint32_t, kNarrowSlots> keys;
  const size_t num_keys = kernels::DecodeNarrow(BlockAt(block_idx), FingerprintBits(), keys);
  contents.reserve(num_keys + 8);
  for (const uint32_t key : std::span(keys).first(num_keys)) {  // they ascend
    if (!contents.empty() && contents.back().key == key) {
      contents.back().count += 1;
    } else {
      contents.push_back({key, 1});
    }
  }
  if (!IsPromoted(block_idx)) return contents;
  for (const BlockKey& entry : RangeOf(block_idx).hidden.ContentsOf(block_idx)) {
    AddTo(contents, entry.key, entry.count);
  }
  return contents;
}

BlockContents NarrowStore::Encode(const BlockContents& contents, uint32_t* block) const {
  const uint32_t bits = FingerprintBits();
  const uint64_t total = TotalOf(contents);
  if (total <= kNarrowSlots) {
    const KeyList keys = WithCopies(contents);
    if (kernels::FitsNarrow(keys, bits)) {
      kernels::EncodeNarrow(keys, bits, block);
      return {};
    }
  }
  KeyList distinct;
  for (const BlockKey& entry : contents) distinct.push_back(entry.key);
  const uint64_t shown_bins = kernels::EncodePromotedNarrow(distinct, bits, block);
  BlockContents hidden;
  for (const BlockKey& entry : contents) {
    const uint64_t num_shown = shown_bins >> kernels::NarrowBin(entry.key, bits) & 1;
    if (entry.count > num_shown) hidden.push_back({entry.key, entry.count - num_shown});
  }
  return hidden;
}

bool NarrowStore::StoreContents(uint64_t block_idx, const BlockContents& contents) {
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  std::array<uint32_t, kernels::kFingerprintBlockWords> words{};
  const BlockContents rest = Encode(contents, words.data());
  if (!kernels::IsPromotedNarrow(words.data())) {
    hidden.Remove(block_idx);
  } else if (hidden.CanPut(block_idx, rest)) {
    hidden.Put(block_idx, rest, TotalOf(contents));
  } else {
    return false;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    kernels::StorePresenceWord(words[i], BlockAt(block_idx) + i);
  }
  return true;
}

FingerprintStore::Needs NarrowStore::NeedsOf(const BlockContents& contents,
                                             size_t /*num_free_entries*/,
                                             const HiddenKeys& hidden) const {
  std::array<uint32_t, kernels::kFingerprintBlockWords> words{};
  const BlockContents rest = Encode(contents, words.data());
  return {.has_record = kernels::IsPromotedNarrow(words.data()),
          .fits_record = hidden.FitsRecord(rest)};
}

BlockContents NarrowStore::WritePromoted(const BlockContents& contents, uint64_t /*block_idx*/,
                                         uint32_t* words, uint32_t* /*line*/,
                                         size_t& /*num_entries*/) const {
  return Encode(contents, words);
}

void NarrowStore::WritePlain(uint64_t block_idx, uint32_t* words) const {
  std::copy_n(BlockAt(block_idx), kernels::kFingerprintBlockWords, words);
}

std::optional<size_t> NarrowStore::PlainKeys(uint64_t block_idx) const {
  if (IsPromoted(block_idx) || !IsReadable(block_idx)) return std::nullopt;
  const uint32_t* block = BlockAt(block_idx);
  std::array<uint8_t, kNarrowSlots> slots;
  std::memcpy(slots.data(), block, sizeof(slots));
  size_t num_keys = 0;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    for (uint64_t ends = EndsOf(block, i); ends != 0;) {
      ends >>= std::countr_one(ends);  // bins without slots
      if (ends == 0) break;
      const auto of_bin = static_cast<size_t>(std::countr_zero(ends));
      for (size_t s = num_keys + 1; s < num_keys + of_bin; ++s) {
        if (slots[s - 1] > slots[s]) return std::nullopt;
      }
      num_keys += of_bin;
      ends >>= of_bin + 1;
    }
  }
  const uint32_t slot_bits = FingerprintBits() - kernels::kBinBits;
  uint32_t stray = 0;
  for (size_t s = 0; s < kNarrowSlots; ++s) {
    stray |= s < num_keys ? uint32_t{slots[s]} >> slot_bits : slots[s];
  }
  if (stray != 0) return std::nullopt;
  return num_keys;
}

// --- Single keys of promoted blocks.

void NarrowStore::Promote(uint64_t block_idx) {
  std::array<uint32_t, kNarrowSlots> copies;
  const uint64_t num_keys = kernels::NumKeysOfNarrow(BlockAt(block_idx));
  const size_t num_copies = kernels::PromoteNarrow(FingerprintBits(), BlockAt(block_idx), copies);
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  hidden.Put(block_idx, {}, num_keys);  // a record, even if nothing is hidden yet
  for (const uint32_t key : std::span(copies).first(num_copies)) hidden.Hide(block_idx, key);
}

bool NarrowStore::InsertPromoted(uint64_t block_idx, uint32_t key) {
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  for (;;) {
    switch (kernels::PutNarrow(key, FingerprintBits(), BlockAt(block_idx))) {
      case kernels::NarrowPut::kDone:
        hidden.ChangeTotal(block_idx, 1);
        return true;
      case kernels::NarrowPut::kHidden:
        return hidden.AddOne(block_idx, key);
      case kernels::NarrowPut::kNoSpace:
        if (hidden.is_limited()) return InsertWhole(block_idx, key);
        CutBin(block_idx, key);
    }
  }
}

void NarrowStore::CutBin(uint64_t block_idx, uint32_t key) {
  std::array<uint32_t, kernels::kMaxKeysPerBinWord> cut;
  const size_t num_cut = kernels::CutNarrow(key, FingerprintBits(), BlockAt(block_idx), cut);
  for (const uint32_t cut_key : std::span(cut).first(num_cut)) {
    RangeOf(block_idx).hidden.Hide(block_idx, cut_key);
  }
}

// A copy of a key that the block shows too may be hidden: it goes first.
bool NarrowStore::ErasePromoted(uint64_t block_idx, uint32_t key) {
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  if (!hidden.TakeOne(block_idx, key)) {
    if (!kernels::TakeNarrow(key, FingerprintBits(), BlockAt(block_idx))) return false;
    hidden.ChangeTotal(block_idx, -1);
  }
  if (hidden.TotalOf(block_idx) <= kNarrowSlots) ReturnIfItFits(block_idx);
  // Further copies may keep the block from returning for ever: its bins must not stay cut off.
  if (NumUndecided(block_idx) > 0 && FitsWithoutCopies(block_idx)) {
    StoreContents(block_idx, ReadContents(block_idx));  // or not, if a limit leaves no space
  }
  return true;
}

// Do the block's distinct keys fit?
bool NarrowStore::FitsWithoutCopies(uint64_t block_idx) const {
  const uint32_t* block = BlockAt(block_idx);
  const uint64_t shown_bins = kernels::ShownBins(block);
  std::array<uint32_t, 2> num_keys = {NumKeysIn(EndsOf(block, 0)), NumKeysIn(EndsOf(block, 1))};
  return RangeOf(block_idx).hidden.VisitKeys(block_idx, [&](uint32_t key) {
    const uint32_t bin = kernels::NarrowBin(key, FingerprintBits());
    if ((shown_bins >> bin & 1) != 0) return true;
    uint32_t& num_of_half = num_keys[bin / kernels::kBinsPerWord];
    num_of_half += 1;
    return num_of_half <= kernels::kMaxKeysPerBinWord && num_keys[0] + num_keys[1] <= kNarrowSlots;
  });
}

void NarrowStore::ReturnIfItFits(uint64_t block_idx) {
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  std::array<uint32_t, kNarrowSlots> copies;  // not more: they are in the total
  const size_t num_copies = hidden.CopiesOf(block_idx, copies);
  if (kernels::ReturnNarrow(std::span(copies).first(num_copies), FingerprintBits(),
                            BlockAt(block_idx))) {
    hidden.Remove(block_idx);
  }
}

bool NarrowStore::HoldsElsewhere(uint64_t block_idx, uint32_t key) const {
  return RangeOf(block_idx).hidden.CountOf(block_idx, key) > 0;
}

uint64_t NarrowStore::NumUndecided(uint64_t block_idx) const {
  if (!IsPromoted(block_idx)) return 0;
  return static_cast<uint64_t>(std::popcount(~kernels::ShownBins(BlockAt(block_idx))));
}

uint64_t NarrowStore::CountOf(uint64_t block_idx, uint32_t key) const {
  const uint64_t shown = kernels::CountNarrow(key, FingerprintBits(), BlockAt(block_idx));
  return IsPromoted(block_idx) ? shown + RangeOf(block_idx).hidden.CountOf(block_idx, key) : shown;
}

}  // namespace trommel
