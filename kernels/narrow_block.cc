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

// The 0s below the last 1: one for each key.
uint64_t ZerosOf(uint64_t bins) { return ((uint64_t{1} << std::bit_width(bins)) - 1) & ~bins; }

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

// The bins of one half in unary: a 0 for each of its keys, which ascend, at the sum of its bin and
// of how many keys are before it; 1s elsewhere, as many as bins are shown.
uint64_t UnaryOf(std::span<const uint32_t> keys, uint32_t num_bins, uint32_t fingerprint_bits) {
  uint64_t zeros = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    zeros |= uint64_t{1} << (NarrowBin(keys[i], fingerprint_bits) % kBinsPerWord + i);
  }
  return ((uint64_t{1} << (num_bins + keys.size())) - 1) ^ zeros;
}

// In each half the bins from the first that does not fit on are left out.
NarrowWords WordsOf(std::span<const uint32_t> keys, uint32_t fingerprint_bits) {
  const auto num_below = [&](uint32_t bin) {
    const uint32_t first_key = bin << (fingerprint_bits - kBinBits);
    return static_cast<size_t>(std::ranges::lower_bound(keys, first_key) - keys.begin());
  };
  NarrowWords block;
  for (const uint32_t half : {0U, 1U}) {
    const uint32_t first_bin = half * kBinsPerWord;
    uint32_t end_bin = first_bin + kBinsPerWord;
    const size_t begin = num_below(first_bin);
    size_t end = num_below(end_bin);
    const size_t limit = std::min<size_t>(kMaxKeysPerBinWord, kNarrowSlots - block.num_keys);
    if (end - begin > limit) {
      end_bin = NarrowBin(keys[begin + limit], fingerprint_bits);
      end = num_below(end_bin);
    }
    const auto shown = keys.subspan(begin, end - begin);
    for (const uint32_t key : shown) block.Append(NarrowSlot(key, fingerprint_bits));
    block.SetBins(half, UnaryOf(shown, end_bin - first_bin, fingerprint_bits));
  }
  return block;
}

uint32_t SlotAt(const uint32_t* block, size_t i) { return block[i / 4] >> (i % 4 * 8) & 0xff; }

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
    const uint64_t bins = BinsOf(block, half);
    auto bin_of_bit = static_cast<uint32_t>(half * kBinsPerWord);  // of bit 0, less keys before
    // Key by key: the number of keys in a bin would be a branch to mispredict.
    for (uint64_t zeros = ZerosOf(bins); zeros != 0; zeros &= zeros - 1) {
      const uint32_t bin = bin_of_bit-- + static_cast<uint32_t>(std::countr_zero(zeros));
      keys[num_keys] = bin << (fingerprint_bits - kBinBits) | SlotAt(block, num_keys);
      ++num_keys;
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

}  // namespace trommel::kernels
