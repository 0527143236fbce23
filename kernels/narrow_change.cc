// Blocks of fingerprints in slots of 8 bits, changed in place.
#include "kernels/narrow_change.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/narrow_block.h"
#include "kernels/presence_words.h"
#include "kernels/run_slice.h"

namespace trommel::kernels {
namespace {

constexpr size_t kSlotWords = kNarrowSlots / 4;

size_t KeysIn(uint64_t bins) { return static_cast<size_t>(std::bit_width(bins)) - CountOnes(bins); }

// The bits below a bit.
constexpr uint64_t Below(uint64_t bit) { return bit - 1; }

// A key within its block.
struct SlotOfBin {
  SlotOfBin(uint32_t key, uint32_t fingerprint_bits)
      : half(NarrowBin(key, fingerprint_bits) / kBinsPerWord),
        rank(NarrowBin(key, fingerprint_bits) % kBinsPerWord),
        slot(static_cast<uint8_t>(NarrowSlot(key, fingerprint_bits))) {}

  size_t half;
  uint32_t rank;  // of the bin in its half
  uint8_t slot;
};

// The slots of a bin that is shown.
struct SlotRange {
  uint64_t end_bit;  // the 1 behind the bin
  size_t first;
  size_t last;  // behind its last
};

// A copy of a block, which is changed, then stored.
class NarrowCopy {
 public:
  explicit NarrowCopy(const uint32_t* block) {
    for (size_t i = 0; i < kSlotWords; i += 2) {
      const uint64_t word = LoadPresenceWord64(block + i);
      std::memcpy(slots_.data() + 4 * i, &word, sizeof(word));
    }
    for (const size_t half : {0U, 1U}) {
      const uint64_t bins = LoadPresenceWord64(block + kSlotWords + 2 * half);
      bins_[half] = (bins & ~kPromotedBins) ^ kEmptyBins;
    }
  }

  void Store(uint32_t* block, uint64_t flag) const {
    for (size_t i = 0; i < kSlotWords; i += 2) {
      uint64_t word = 0;
      std::memcpy(&word, slots_.data() + 4 * i, sizeof(word));
      StorePresenceWord64(word, block + i);
    }
    for (const size_t half : {0U, 1U}) {
      StorePresenceWord64((bins_[half] ^ kEmptyBins) | flag, block + kSlotWords + 2 * half);
    }
  }
  void StorePromoted(uint32_t* block) const { Store(block, kPromotedBins); }

  size_t keys_of(size_t half) const { return KeysIn(bins_[half]); }
  size_t num_keys() const { return keys_of(0) + keys_of(1); }
  bool Shows(const SlotOfBin& key) const { return CountOnes(bins_[key.half]) > key.rank; }

  // Requires that the bin is shown.
  SlotRange Find(const SlotOfBin& key) const {
    const uint64_t bins = bins_[key.half];
    const uint64_t end_bit = SelectOne(bins, key.rank);
    const auto start = static_cast<size_t>(std::bit_width(bins & Below(end_bit)));
    const size_t first = (key.half == 0 ? 0 : keys_of(0)) + start - key.rank;
    return {end_bit, first, first + static_cast<size_t>(std::countr_zero(end_bit)) - start};
  }
  size_t CountIn(const SlotRange& range, uint8_t slot) const {
    return static_cast<size_t>(
        std::count(slots_.begin() + range.first, slots_.begin() + range.last, slot));
  }

  // Requires that there is space.
  void Put(const SlotOfBin& key, const SlotRange& range) {
    const auto last = slots_.begin() + range.last;
    const auto at = std::upper_bound(slots_.begin() + range.first, last, key.slot);
    std::copy_backward(at, slots_.end() - 1, slots_.end());
    *at = key.slot;
    uint64_t& bins = bins_[key.half];
    bins += bins & ~Below(range.end_bit);  // moves up by one
  }

  // Requires that the bin has the slot.
  void Take(const SlotOfBin& key, const SlotRange& range) {
    CloseSlots(static_cast<size_t>(std::find(slots_.begin() + range.first, slots_.end(), key.slot) -
                                   slots_.begin()),
               1);
    uint64_t& bins = bins_[key.half];
    bins = (bins & (Below(range.end_bit) >> 1)) | (bins & ~Below(range.end_bit)) >> 1;
  }

  // Cuts off the last bin of the half that has keys, and those behind it. Calls use(rank, slot) for
  // its keys.
  //
  //   bins   1 0 1 | 0 0 1 | 1 1     ->   1 0 1
  template <class Use>
  void Cut(size_t half, const Use& use) {
    uint64_t& bins = bins_[half];
    const uint64_t zeros = Below(std::bit_floor(bins)) & ~bins;  // one for each key
    const uint64_t up_to_last = (std::bit_floor(zeros) << 1) - 1;
    const auto kept_bits = static_cast<size_t>(std::bit_width(bins & up_to_last));
    const auto num_cut = static_cast<size_t>(std::bit_width(zeros)) - kept_bits;
    bins &= (uint64_t{1} << kept_bits) - 1;
    const size_t first = (half == 0 ? 0 : keys_of(0)) + keys_of(half);
    for (size_t i = 0; i < num_cut; ++i) use(CountOnes(bins), slots_[first + i]);
    CloseSlots(first, num_cut);
  }

  // Shows all bins: those that were cut off have no keys.
  void ShowAllBins() {
    for (uint64_t& bins : bins_) {
      const uint64_t missing = (uint64_t{1} << (kBinsPerWord - CountOnes(bins))) - 1;
      bins |= missing << std::bit_width(bins);
    }
  }

 private:
  void CloseSlots(size_t first, size_t count) {
    std::copy(slots_.begin() + first + count, slots_.end(), slots_.begin() + first);
    std::fill(slots_.end() - count, slots_.end(), uint8_t{0});
  }

  std::array<uint8_t, kNarrowSlots> slots_;
  std::array<uint64_t, 2> bins_;  // a 1 behind each that is shown
};

}  // namespace

size_t CountNarrow(uint32_t key, uint32_t fingerprint_bits, const uint32_t* block) {
  const NarrowCopy copy(block);
  const SlotOfBin place(key, fingerprint_bits);
  return copy.Shows(place) ? copy.CountIn(copy.Find(place), place.slot) : 0;
}

size_t NumKeysOfNarrow(const uint32_t* block) { return NarrowCopy(block).num_keys(); }

size_t PromoteNarrow(uint32_t fingerprint_bits, uint32_t* block,
                     std::span<uint32_t, kNarrowSlots> hidden) {
  std::array<uint32_t, kNarrowSlots> keys;
  const size_t num_keys = DecodeNarrow(block, fingerprint_bits, keys);
  NarrowCopy copy(block);
  size_t num_hidden = 0;
  for (size_t i = 1; i < num_keys; ++i) {
    if (keys[i] != keys[i - 1]) continue;
    const SlotOfBin place(keys[i], fingerprint_bits);
    copy.Take(place, copy.Find(place));
    hidden[num_hidden++] = keys[i];
  }
  copy.StorePromoted(block);
  return num_hidden;
}

NarrowPut PutNarrow(uint32_t key, uint32_t fingerprint_bits, uint32_t* block) {
  NarrowCopy copy(block);
  const SlotOfBin place(key, fingerprint_bits);
  if (!copy.Shows(place)) return NarrowPut::kHidden;
  const SlotRange range = copy.Find(place);
  if (copy.CountIn(range, place.slot) > 0) return NarrowPut::kHidden;
  if (copy.num_keys() >= kNarrowSlots) return NarrowPut::kNoSpace;
  if (copy.keys_of(place.half) >= kMaxKeysPerBinWord) return NarrowPut::kNoSpace;
  copy.Put(place, range);
  copy.StorePromoted(block);
  return NarrowPut::kDone;
}

bool TakeNarrow(uint32_t key, uint32_t fingerprint_bits, uint32_t* block) {
  NarrowCopy copy(block);
  const SlotOfBin place(key, fingerprint_bits);
  if (!copy.Shows(place)) return false;
  const SlotRange range = copy.Find(place);
  if (copy.CountIn(range, place.slot) == 0) return false;
  copy.Take(place, range);
  copy.StorePromoted(block);
  return true;
}

size_t CutNarrow(uint32_t key, uint32_t fingerprint_bits, uint32_t* block,
                 std::span<uint32_t, kMaxKeysPerBinWord> hidden) {
  NarrowCopy copy(block);
  const SlotOfBin place(key, fingerprint_bits);
  // Of 48 keys the second half has some, because the first has at most 31.
  const bool is_half_full = copy.keys_of(place.half) >= kMaxKeysPerBinWord;
  const size_t half = is_half_full ? place.half : 1;
  size_t num_hidden = 0;
  copy.Cut(half, [&](uint32_t rank, uint32_t slot) {
    const auto bin = static_cast<uint32_t>(half * kBinsPerWord) + rank;
    hidden[num_hidden++] = bin << (fingerprint_bits - kBinBits) | slot;
  });
  copy.StorePromoted(block);
  return num_hidden;
}

bool ReturnNarrow(std::span<const uint32_t> hidden, uint32_t fingerprint_bits, uint32_t* block) {
  NarrowCopy copy(block);
  std::array<size_t, 2> num_keys = {copy.keys_of(0), copy.keys_of(1)};
  for (const uint32_t key : hidden) num_keys[SlotOfBin(key, fingerprint_bits).half] += 1;
  if (num_keys[0] + num_keys[1] > kNarrowSlots) return false;
  if (std::max(num_keys[0], num_keys[1]) > kMaxKeysPerBinWord) return false;
  copy.ShowAllBins();
  for (const uint32_t key : hidden) {
    const SlotOfBin place(key, fingerprint_bits);
    copy.Put(place, copy.Find(place));
  }
  copy.Store(block, 0);
  return true;
}

}  // namespace trommel::kernels
