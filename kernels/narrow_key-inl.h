// One key and its fingerprint block of slots of 8 bits (fingerprint_layout.h). Included once per
// target.
//
// A bin's slots are between two 1s of its bin word: two selects, of neighbouring ranks, find them.
// A bin that is cut off has no 1 of its own, so the second select finds nothing; only then does it
// matter that the block is promoted.
#if defined(TROMMEL_KERNELS_NARROW_KEY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_NARROW_KEY_INL_H_
#undef TROMMEL_KERNELS_NARROW_KEY_INL_H_
#else
#define TROMMEL_KERNELS_NARROW_KEY_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/narrow_slots-inl.h"
#include "kernels/presence_words.h"
#include "kernels/select-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// A key within its block.
struct NarrowPart {
  HWY_INLINE NarrowPart(uint64_t rest, const FingerprintBlocks& blocks)
      : bin(static_cast<uint32_t>(rest >> (64 - kBinBits))),
        slot(NarrowSlot(NarrowKey(rest, blocks.fingerprint_bits), blocks.fingerprint_bits)) {}

  HWY_INLINE size_t half() const { return bin / kBinsPerWord; }

  uint32_t bin;
  uint32_t slot;
};

// The words that say where bins end: the first, and that of a key's half of the bins. Loaded each
// by itself: an array would be indexed in memory, after stores that the load would wait for.
struct NarrowBins {
  HWY_INLINE NarrowBins(const uint32_t* block, size_t half)
      : first(Load(block, 0)), own(Load(block, half)) {}

  static constexpr size_t kWordIdx = kNarrowSlots / 4;
  static HWY_INLINE uint64_t Load(const uint32_t* block, size_t half) {
    return LoadPresenceWord64(block + kWordIdx + 2 * half) ^ kEmptyBins;
  }
  static HWY_INLINE void Store(uint64_t bins, size_t half, uint32_t* block) {
    StorePresenceWord64(bins ^ kEmptyBins, block + kWordIdx + 2 * half);
  }

  HWY_INLINE bool IsPromoted() const { return (first & kPromotedBins) != 0; }

  uint64_t first;
  uint64_t own;
};

HWY_INLINE bool IsPromotedBlock(const uint32_t* block) {
  return LoadPresenceWord(block + NarrowBins::kWordIdx + 1) >> 31 != 0;
}

// Where the slots of a bin are.
//
//   marked   1 | 0 1 | 0 0 1 | ..   the bin word with a 1 before its first bin; no flag
//   bin 1            ^-start ^-end
struct BinPlace {
  HWY_INLINE bool IsCut() const { return end == 0; }
  // The bin word's 1 behind the bin, and its last 0.
  HWY_INLINE uint64_t EndBit() const { return end >> 1; }
  HWY_INLINE uint64_t LastKeyBit() const { return end >> 2; }

  uint64_t end;    // 0 if the bin is cut off
  uint64_t slots;  // its slots; nothing that counts if it is cut off
  uint32_t first;  // their first, or where it would be
};

template <class Select>
struct Narrow {
  using Key = NarrowPart;

  // The keys in a marked bin word: its 0s before the last 1. Unless bins are cut off, that is the
  // 33rd, and PDEP finds it sooner than the instruction of AVX2's CPUs for the highest 1.
  static HWY_INLINE uint32_t KeysOf(uint64_t marked) {
    if constexpr (!std::is_same_v<Select, PlainSelect>) {
      const uint64_t last = Select::One(marked, kBinsPerWord);
      if (HWY_LIKELY(last != 0)) {
        return static_cast<uint32_t>(std::countr_zero(last)) - kBinsPerWord;
      }
    }
    return static_cast<uint32_t>(std::bit_width(marked)) - Select::Ones(marked);
  }

  static HWY_INLINE BinPlace Find(const NarrowBins& bins, uint32_t bin) {
    const uint32_t k = bin % kBinsPerWord;
    const size_t half = bin / kBinsPerWord;
    const uint64_t marked = bins.own << 1 | 1;
    const uint64_t pair = Select::Pair(marked, k);
    const uint64_t end = pair & (pair - 1);
    const uint64_t start = pair ^ end;
    // Of the bits before a slot's 0, k + 1 are 1s, and the others are slots of this half.
    const uint32_t before = KeysOf(bins.first << 1 | 1) & (0 - static_cast<uint32_t>(half));
    const uint64_t slots = ((end - 2 * start) >> (k + 1)) << before;
    const auto start_idx = static_cast<uint32_t>(std::countr_zero(start));
    return {end, slots, start_idx - k + before};
  }

  // Is there no space for one more key in its half?
  static HWY_INLINE bool IsFullOrPromoted(const NarrowBins& bins, const uint32_t* block) {
    constexpr uint64_t kFullHalf = uint64_t{1} << (kBinsPerWord + kMaxKeysPerBinWord - 1);
    const uint64_t second = NarrowBins::Load(block, 1);
    const uint32_t num_keys = KeysOf(bins.first << 1 | 1) + KeysOf(second << 1 | 1);
    return (num_keys >= kNarrowSlots) | (bins.own >= kFullHalf);
  }

  static HWY_INLINE void Put(const NarrowPart& key, const NarrowBins& bins, const BinPlace& place,
                             uint32_t* block) {
    const uint64_t up_to = NarrowSlotsWhere<NarrowTest::kAtMost>(block, key.slot) & place.slots;
    OpenNarrowSlot(block, place.first + Select::Ones(up_to), key.slot);
    // A number added to itself is shifted by one: a 0 more before the bin's end.
    const uint64_t word = bins.own;
    NarrowBins::Store(word + (word & (0 - place.EndBit())), key.half(), block);
  }

  static HWY_INLINE OneFate Insert(const NarrowPart& key, uint32_t* block) {
    const NarrowBins bins(block, key.half());
    if (HWY_UNLIKELY(IsFullOrPromoted(bins, block))) {
      return bins.IsPromoted() ? OneFate::kSpill : OneFate::kStop;
    }
    Put(key, bins, Find(bins, key.bin), block);
    return OneFate::kDone;
  }

  static HWY_INLINE OneFate InsertIfAbsent(const NarrowPart& key, uint32_t* block) {
    const NarrowBins bins(block, key.half());
    const BinPlace place = Find(bins, key.bin);
    const uint64_t equal = Equal(key, block);
    if (!place.IsCut() & ((equal & place.slots) != 0)) return OneFate::kUnchanged;
    if (HWY_UNLIKELY(IsFullOrPromoted(bins, block))) {
      return bins.IsPromoted() ? OneFate::kSpill : OneFate::kStop;
    }
    Put(key, bins, place, block);
    return OneFate::kDone;
  }

  static HWY_INLINE OneFate Erase(const NarrowPart& key, uint32_t* block) {
    const NarrowBins bins(block, key.half());
    const BinPlace place = Find(bins, key.bin);
    const uint64_t equal = Equal(key, block) & place.slots;
    if (HWY_UNLIKELY(bins.IsPromoted())) {
      return (place.IsCut() | (equal != 0)) ? OneFate::kSpill : OneFate::kUnchanged;
    }
    if (HWY_UNLIKELY(equal == 0)) return OneFate::kUnchanged;
    CloseNarrowSlot(block, hwy::Num0BitsBelowLS1Bit_Nonzero64(equal));
    const uint64_t word = bins.own;
    NarrowBins::Store(Select::Without(word, place.LastKeyBit()), key.half(), block);
    return OneFate::kDone;
  }

  static HWY_INLINE uint64_t Equal(const NarrowPart& key, const uint32_t* block) {
    return NarrowSlotsWhere<NarrowTest::kEqual>(block, key.slot);
  }
  // Most absent keys are equal to no slot of the block, whatever its bin: these are no candidates.
  static HWY_INLINE bool IsCandidate(const NarrowPart& /*key*/, uint64_t equal,
                                     const uint32_t* block) {
    return (equal != 0) | IsPromotedBlock(block);
  }
  static HWY_INLINE OneFate QueryBin(const NarrowPart& key, uint64_t equal, const uint32_t* block) {
    const BinPlace place = Find(NarrowBins(block, key.half()), key.bin);
    if (HWY_UNLIKELY(place.IsCut())) return OneFate::kSpill;
    return (equal & place.slots) != 0 ? OneFate::kDone : OneFate::kUnchanged;
  }
  static HWY_INLINE OneFate Query(const NarrowPart& key, const uint32_t* block) {
    const uint64_t equal = Equal(key, block);
    return IsCandidate(key, equal, block) ? QueryBin(key, equal, block) : OneFate::kUnchanged;
  }
};

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
