#include "engine/src/blocks/narrow_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace trommel {
namespace {

using kernels::kNarrowSlots;

// The bins' word i of a block.
uint64_t BinWord(const uint32_t* block, size_t i) {
  uint64_t word = 0;
  std::memcpy(&word, block + 12 + 2 * i, sizeof(word));
  return word;
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
    const uint64_t word = BinWord(block, i);
    if (((word & kernels::kPromotedBins) != 0) != is_promoted) return false;
    const uint64_t ends = (word & ~kernels::kPromotedBins) ^ kernels::kEmptyBins;
    const auto num_bins = static_cast<uint32_t>(std::popcount(ends));
    if (num_bins > kernels::kBinsPerWord) return false;
    if (!is_promoted && num_bins != kernels::kBinsPerWord) return false;
    const uint32_t keys_of_word = static_cast<uint32_t>(std::bit_width(ends)) - num_bins;
    if (keys_of_word > kernels::kMaxKeysPerBinWord) return false;
    num_keys += keys_of_word;
  }
  return num_keys <= kNarrowSlots;
}

// --- Contents.

BlockContents NarrowStore::ReadContents(uint64_t block_idx) const {
  BlockContents contents;
  std::array<uint32_t, kNarrowSlots> keys;
  const size_t num_keys =
      kernels::DecodeNarrow(BlockAt(block_idx), geometry_.fingerprint_bits, keys);
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

BlockContents NarrowStore::Encode(const BlockContents& contents, bool is_promoted,
                                  uint32_t* block) const {
  const uint32_t bits = geometry_.fingerprint_bits;
  const uint64_t total = TotalOf(contents);
  if (!is_promoted && total <= kNarrowSlots) {
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
  const BlockContents rest = Encode(contents, /*is_promoted=*/false, words.data());
  if (!kernels::IsPromotedNarrow(words.data())) {
    hidden.Remove(block_idx);
  } else if (hidden.CanPut(block_idx, rest)) {
    hidden.Put(block_idx, rest, TotalOf(contents));
  } else {
    return false;
  }
  std::ranges::copy(words, BlockAt(block_idx));
  return true;
}

FingerprintStore::Needs NarrowStore::NeedsOf(const BlockContents& contents,
                                             size_t /*num_free_entries*/,
                                             const HiddenKeys& hidden) const {
  std::array<uint32_t, kernels::kFingerprintBlockWords> words{};
  const BlockContents rest = Encode(contents, /*is_promoted=*/false, words.data());
  return {.has_record = kernels::IsPromotedNarrow(words.data()),
          .fits_record = hidden.FitsRecord(rest)};
}

CanonicalGroup NarrowStore::Canonical(std::span<const BlockContents> contents) const {
  constexpr size_t kWords = kernels::kFingerprintBlockWords;
  CanonicalGroup group;
  group.block_words.resize(contents.size() * kWords);
  group.hidden.resize(contents.size());
  for (size_t b = 0; b < contents.size(); ++b) {
    group.hidden[b] = Encode(contents[b], false, group.block_words.data() + b * kWords);
  }
  return group;
}

// --- Single keys of promoted blocks.

bool NarrowStore::IsCut(uint64_t block_idx, uint32_t key) const {
  const uint32_t bin = kernels::NarrowBin(key, geometry_.fingerprint_bits);
  return (kernels::ShownBins(BlockAt(block_idx)) >> bin & 1) == 0;
}

uint64_t NarrowStore::ShownCount(uint64_t block_idx, uint32_t key) const {
  return kernels::CountNarrow(key, geometry_.fingerprint_bits, BlockAt(block_idx));
}

// All its keys may fit what a promoted block shows, and it has a record all the same.
void NarrowStore::Promote(uint64_t block_idx) {
  const BlockContents contents = ReadContents(block_idx);
  const BlockContents rest = Encode(contents, /*is_promoted=*/true, BlockAt(block_idx));
  RangeOf(block_idx).hidden.Put(block_idx, rest, TotalOf(contents));
}

bool NarrowStore::InsertPromoted(uint64_t block_idx, uint32_t key) {
  if (IsCut(block_idx, key) || ShownCount(block_idx, key) > 0) {
    return RangeOf(block_idx).hidden.AddOne(block_idx, key);
  }
  if (kernels::PutNarrow(key, geometry_.fingerprint_bits, BlockAt(block_idx))) {
    RangeOf(block_idx).hidden.ChangeTotal(block_idx, 1);
    return true;
  }
  BlockContents contents = ReadContents(block_idx);
  AddTo(contents, key, 1);
  return StoreContents(block_idx, contents);
}

bool NarrowStore::ErasePromoted(uint64_t block_idx, uint32_t key) {
  HiddenKeys& hidden = RangeOf(block_idx).hidden;
  if (hidden.CountOf(block_idx, key) > 0) {
    hidden.TakeOne(block_idx, key);
    // Where it has no space to be kept otherwise, it stays as it is.
    if (hidden.TotalOf(block_idx) <= kNarrowSlots) {
      StoreContents(block_idx, ReadContents(block_idx));
    }
    return true;
  }
  if (ShownCount(block_idx, key) == 0) return false;
  if (hidden.TotalOf(block_idx) <= kNarrowSlots + 1) {  // it may return
    BlockContents contents = ReadContents(block_idx);
    RemoveFrom(contents, key, 1);
    if (StoreContents(block_idx, contents)) return true;
  }
  kernels::TakeNarrow(key, geometry_.fingerprint_bits, BlockAt(block_idx));
  hidden.ChangeTotal(block_idx, -1);
  return true;
}

bool NarrowStore::HoldsElsewhere(uint64_t block_idx, uint32_t key) const {
  return RangeOf(block_idx).hidden.CountOf(block_idx, key) > 0;
}

uint64_t NarrowStore::CountOf(uint64_t block_idx, uint32_t key) const {
  const uint64_t shown = ShownCount(block_idx, key);
  return IsPromoted(block_idx) ? shown + RangeOf(block_idx).hidden.CountOf(block_idx, key) : shown;
}

}  // namespace trommel
