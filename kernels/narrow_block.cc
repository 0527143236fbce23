// Blocks of fingerprints in slots of 8 bits, key by key.
#include "kernels/narrow_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/presence_words.h"

namespace trommel::kernels {
namespace {

constexpr size_t kFirstBinWord = kNarrowSlots / 4;

// The bins of one half: a 1 behind each that is shown.
uint64_t BinsOf(const uint32_t* block, size_t half) {
  const uint32_t* words = block + kFirstBinWord + 2 * half;
  const uint64_t bins = uint64_t{LoadPresenceWord(words + 1)} << 32 | LoadPresenceWord(words);
  return (bins ^ kEmptyBins) & ~kPromotedBins;
}

// A block that is written key by key, then stored.
struct NarrowWords {
  void Append(uint32_t slot) { slots[num_keys++] = static_cast<uint8_t>(slot); }
  void SetBins(size_t half, uint64_t bins) {
    bins ^= kEmptyBins;
    words[kFirstBinWord + 2 * half] = static_cast<uint32_t>(bins);
    words[kFirstBinWord + 2 * half + 1] = static_cast<uint32_t>(bins >> 32);
  }
  void Store(uint32_t* block) {
    std::memcpy(words.data(), slots.data(), slots.size());
    for (size_t i = 0; i < words.size(); ++i) StorePresenceWord(words[i], block + i);
  }

  std::array<uint32_t, kFingerprintBlockWords> words{};
  std::array<uint8_t, kNarrowSlots> slots{};
  size_t num_keys = 0;
};

// The keys of one bin, which are the first ones.
size_t CountBin(std::span<const uint32_t> keys, uint32_t bin, uint32_t fingerprint_bits) {
  size_t count = 0;
  while (count < keys.size() && NarrowBin(keys[count], fingerprint_bits) == bin) ++count;
  return count;
}

// Writes bin after bin; in each half those from the first that does not fit on are left out.
NarrowWords WordsOf(std::span<const uint32_t> keys, uint32_t fingerprint_bits) {
  NarrowWords block;
  for (size_t half = 0; half < 2; ++half) {
    uint64_t bins = 0;
    size_t keys_of_half = 0;
    bool is_cut = false;
    for (uint32_t i = 0; i < kBinsPerWord; ++i) {
      const auto bin = static_cast<uint32_t>(half * kBinsPerWord) + i;
      const size_t count = CountBin(keys, bin, fingerprint_bits);
      is_cut = is_cut || keys_of_half + count > kMaxKeysPerBinWord ||
               block.num_keys + count > kNarrowSlots;
      if (!is_cut) {
        for (const uint32_t key : keys.first(count))
          block.Append(NarrowSlot(key, fingerprint_bits));
        keys_of_half += count;
        bins |= uint64_t{1} << (keys_of_half + i);
      }
      keys = keys.subspan(count);
    }
    block.SetBins(half, bins);
  }
  return block;
}

uint32_t SlotAt(const uint32_t* block, size_t i) { return block[i / 4] >> (i % 4 * 8) & 0xff; }

// A bin that is not cut off, within a block.
struct NarrowPlace {
  NarrowPlace(uint32_t key, uint32_t fingerprint_bits, const uint32_t* words)
      : half(NarrowBin(key, fingerprint_bits) / kBinsPerWord),
        bins(BinsOf(words, half)),
        slot(NarrowSlot(key, fingerprint_bits)) {
    uint64_t ends = bins;
    uint64_t start_bit = 0;  // behind the 1 of the bin before
    const uint32_t rank = NarrowBin(key, fingerprint_bits) % kBinsPerWord;
    for (uint32_t i = 0; i < rank; ++i) {
      if (i + 1 == rank) start_bit = static_cast<uint64_t>(std::countr_zero(ends)) + 1;
      ends &= ends - 1;
    }
    end_bit = static_cast<uint64_t>(std::countr_zero(ends));
    const size_t before = half == 0 ? 0 : KeysIn(BinsOf(words, 0));
    first = before + start_bit - rank;
    last = before + end_bit - rank;
    num_keys = KeysIn(BinsOf(words, 0)) + KeysIn(BinsOf(words, 1));
  }

  static size_t KeysIn(uint64_t bins) {
    return static_cast<size_t>(std::bit_width(bins)) - static_cast<size_t>(std::popcount(bins));
  }

  size_t half;
  uint64_t bins;
  uint32_t slot;
  uint64_t end_bit;  // of the bin's 1
  size_t first;      // the bin's slots
  size_t last;       // behind them
  size_t num_keys;   // that the block shows
};

void SetSlot(size_t i, uint32_t slot, uint32_t* block) {
  const size_t shift = i % 4 * 8;
  StorePresenceWord((block[i / 4] & ~(0xffU << shift)) | slot << shift, block + i / 4);
}

void StorePromotedBins(uint64_t bins, size_t half, uint32_t* block) {
  bins ^= kEmptyBins | kPromotedBins;
  uint32_t* words = block + kFirstBinWord + 2 * half;
  StorePresenceWord(static_cast<uint32_t>(bins), words);
  StorePresenceWord(static_cast<uint32_t>(bins >> 32), words + 1);
}

}  // namespace

bool IsPromotedNarrow(const uint32_t* block) {
  return LoadPresenceWord(block + kFirstBinWord + 1) >> 31 != 0;
}

uint64_t ShownBins(const uint32_t* block) {
  uint64_t shown = 0;
  for (size_t half = 0; half < 2; ++half) {
    const auto num_shown = static_cast<size_t>(std::popcount(BinsOf(block, half)));
    shown |= ((uint64_t{1} << num_shown) - 1) << (half * kBinsPerWord);
  }
  return shown;
}

size_t DecodeNarrow(const uint32_t* block, uint32_t fingerprint_bits,
                    std::span<uint32_t, kNarrowSlots> keys) {
  size_t num_keys = 0;
  for (size_t half = 0; half < 2; ++half) {
    auto bin = static_cast<uint32_t>(half * kBinsPerWord);
    for (uint64_t bins = BinsOf(block, half); bins != 0; ++bin) {
      const auto count = static_cast<size_t>(std::countr_zero(bins));
      bins >>= count;
      for (const size_t end = num_keys + count; num_keys < end; ++num_keys) {
        keys[num_keys] = bin << (fingerprint_bits - kBinBits) | SlotAt(block, num_keys);
      }
      bins >>= 1;
    }
  }
  return num_keys;
}

bool FitsNarrow(std::span<const uint32_t> keys, uint32_t fingerprint_bits) {
  if (keys.size() > kNarrowSlots) return false;
  const auto first_half = static_cast<size_t>(std::ranges::count_if(
      keys, [&](uint32_t key) { return NarrowBin(key, fingerprint_bits) < kBinsPerWord; }));
  return std::max(first_half, keys.size() - first_half) <= kMaxKeysPerBinWord;
}

void EncodeNarrow(std::span<const uint32_t> keys, uint32_t fingerprint_bits, uint32_t* block) {
  NarrowWords words = WordsOf(keys, fingerprint_bits);
  words.Store(block);
}

uint64_t EncodePromotedNarrow(std::span<const uint32_t> keys, uint32_t fingerprint_bits,
                              uint32_t* block) {
  NarrowWords words = WordsOf(keys, fingerprint_bits);
  constexpr auto kPromotedWord = static_cast<uint32_t>(kPromotedBins >> 32);
  words.words[kFirstBinWord + 1] |= kPromotedWord;
  words.words[kFirstBinWord + 3] |= kPromotedWord;
  words.Store(block);
  return ShownBins(block);
}

size_t CountNarrow(uint32_t key, uint32_t fingerprint_bits, const uint32_t* block) {
  if ((ShownBins(block) >> NarrowBin(key, fingerprint_bits) & 1) == 0) return 0;
  const NarrowPlace bin(key, fingerprint_bits, block);
  size_t count = 0;
  for (size_t i = bin.first; i < bin.last; ++i) count += size_t{SlotAt(block, i) == bin.slot};
  return count;
}

bool PutNarrow(uint32_t key, uint32_t fingerprint_bits, uint32_t* block) {
  const NarrowPlace bin(key, fingerprint_bits, block);
  if (bin.num_keys >= kNarrowSlots) return false;
  if (NarrowPlace::KeysIn(bin.bins) >= kMaxKeysPerBinWord) return false;
  size_t at = bin.first;
  while (at < bin.last && SlotAt(block, at) <= bin.slot) ++at;
  for (size_t i = bin.num_keys; i > at; --i) SetSlot(i, SlotAt(block, i - 1), block);
  SetSlot(at, bin.slot, block);
  const uint64_t below = (uint64_t{1} << bin.end_bit) - 1;
  StorePromotedBins((bin.bins & below) | (bin.bins & ~below) << 1, bin.half, block);
  return true;
}

void TakeNarrow(uint32_t key, uint32_t fingerprint_bits, uint32_t* block) {
  const NarrowPlace bin(key, fingerprint_bits, block);
  size_t at = bin.first;
  while (at + 1 < bin.last && SlotAt(block, at) != bin.slot) ++at;
  for (size_t i = at; i + 1 < bin.num_keys; ++i) SetSlot(i, SlotAt(block, i + 1), block);
  SetSlot(bin.num_keys - 1, 0, block);
  const uint64_t below = (uint64_t{1} << bin.end_bit) - 1;
  StorePromotedBins((bin.bins & (below >> 1)) | (bin.bins & ~below) >> 1, bin.half, block);
}

}  // namespace trommel::kernels
