// Blocks of fingerprints in slots of 8 bits, key by key.
#include "kernels/narrow_block.h"

#include <algorithm>
#include <array>
#include <bit>

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
  void Append(uint32_t slot) {
    words[num_keys / 4] |= slot << (num_keys % 4 * 8);
    ++num_keys;
  }
  void SetBins(size_t half, uint64_t bins) {
    bins ^= kEmptyBins;
    words[kFirstBinWord + 2 * half] = static_cast<uint32_t>(bins);
    words[kFirstBinWord + 2 * half + 1] = static_cast<uint32_t>(bins >> 32);
  }
  void Store(uint32_t* block) const {
    for (size_t i = 0; i < words.size(); ++i) StorePresenceWord(words[i], block + i);
  }

  std::array<uint32_t, kFingerprintBlockWords> words{};
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
      for (; (bins & 1) == 0; bins >>= 1) {
        const uint32_t slot = block[num_keys / 4] >> (num_keys % 4 * 8) & 0xff;
        keys[num_keys++] = bin << (fingerprint_bits - kBinBits) | slot;
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
  WordsOf(keys, fingerprint_bits).Store(block);
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
