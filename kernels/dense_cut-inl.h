// What stores do to one dense block (dense_layout.h): updates and queries of growing blocks, and
// what a block without counts loses to its overflow lines when it is cut, and takes back later.
// Included once per target.
#if defined(TROMMEL_KERNELS_DENSE_CUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_DENSE_CUT_INL_H_
#undef TROMMEL_KERNELS_DENSE_CUT_INL_H_
#else
#define TROMMEL_KERNELS_DENSE_CUT_INL_H_
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "kernels/byte_slots-inl.h"
#include "kernels/dense-inl.h"
#include "kernels/dense_lanes-inl.h"
#include "kernels/dense_layout.h"
#include "kernels/dense_line.h"
#include "kernels/dense_pair-inl.h"
#include "kernels/kernels.h"
#include "kernels/presence_words.h"
#include "kernels/select-inl.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE uint32_t LeadingZeros(DenseWord word) {
  const auto high = static_cast<uint64_t>(word >> 64);
  const auto low = static_cast<uint64_t>(word);
  const int zeros = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low);
  return static_cast<uint32_t>(zeros);
}

template <DenseShape kShape>
struct DenseCut {
  using Codec = Dense<kShape>;
  using Bits = DenseBits<kShape>;
  using Bins = DenseBins<kShape>;
  using Key = typename Codec::Key;
  using PairOf = DensePairOf<kShape.line_entries()>;

  // The last bin of a full block that has keys, and how many.
  struct Last {
    explicit HWY_INLINE Last(const Bins& bins) {
      const uint32_t width = Bits::kFirst + bins.num_shown + kShape.slots;
      const DenseWord string = bins.String() << (128 - width);
      num_ends = LeadingZeros(~string);
      bin = bins.num_shown - num_ends;
      num = std::min(LeadingZeros(string << num_ends), kShape.slots);  // bin 0 has no 1 before it
    }

    uint32_t num_ends;  // its 1, and those of bins without keys behind it
    uint32_t bin;
    uint32_t num;
  };

  static constexpr DenseCutKernels Kernels() {
    return {.insert = &Update<&Codec::Insert>,
            .insert_if_absent = &Update<&Codec::InsertIfAbsent>,
            .erase = &Update<&Codec::Erase>,
            .query = &Query,
            .state = &State,
            .slot = &Slot,
            .find = &PairOf::Find,
            .close = &Close,
            .evict = &Evict,
            .pull = &Pull};
  }

  template <BinnedUpdate<Codec> kUpdate>
  static OneFate Update(uint32_t bin, uint32_t remainder, uint32_t* block) {
    return kUpdate(Key(bin, remainder), block);
  }
  static uint64_t Query(const GrowingPlace* places, uint64_t mask, const GrowingPlace* next,
                        uint64_t& cut) {
    uint64_t shown = 0;
    uint64_t not_shown = 0;
    for (; mask != 0; mask &= mask - 1) {
      const size_t i = hwy::Num0BitsBelowLS1Bit_Nonzero64(mask);
      hwy::Prefetch(next[i].block);
      const GrowingPlace& place = places[i];
      const Key key(place.bin, place.remainder);
      const uint64_t equal = Codec::Equal(key, place.block);
      if (HWY_LIKELY(Codec::IsFirstIn(key, equal, place.block))) {
        shown |= uint64_t{1} << i;
        continue;
      }
      const OneFate fate = Codec::QueryBin(key, equal, place.block);
      shown |= static_cast<uint64_t>(fate == OneFate::kDone) << i;
      not_shown |= static_cast<uint64_t>(fate == OneFate::kSpill) << i;
    }
    cut |= not_shown;
    return shown;
  }

  static DenseCutKernels::State State(const uint32_t* block) {
    const Bins bins(block);
    const uint32_t num_keys = bins.NumKeys();
    return {bins.num_shown, num_keys == kShape.slots ? Last(bins).bin : bins.num_shown};
  }

  static uint32_t Slot(uint32_t key_bits, uint32_t bits, const uint32_t* block) {
    const Key key({kShape, bits}, key_bits);
    const Bins bins(block);
    const uint64_t equal = Codec::FirstIn(bins, key.bin, Codec::Equal(key, block));
    return bins.Shows(key.bin) ? static_cast<uint32_t>(std::countr_zero(equal)) : 64;
  }

  static HWY_INLINE uint64_t PullBin(uint32_t num_bins, uint32_t num_keys) {
    const bool is_cut = num_bins < kShape.bins;
    const bool is_to_pull = is_cut && num_keys + kDensePullSlots <= kShape.slots;
    return is_to_pull ? num_bins : DenseCutKernels::kNoBin;
  }

  static DenseCutKernels::Closed Close(uint32_t key, uint32_t bits, uint32_t* block) {
    const Bins bins(block);
    const OneFate fate =
        Codec::template Erase<kShape.slots + 1>(Key({kShape, bits}, key), bins, block);
    return {fate, PullBin(bins.num_shown, bins.NumKeys() - (fate == OneFate::kDone ? 1 : 0))};
  }

  // --- Evictions.

  static DenseCutKernels::Evicted Evict(uint32_t key_bits, uint32_t bits, uint32_t* block,
                                        const DensePair& pair, uint32_t* left) {
    const Key key({kShape, bits}, key_bits);
    const Bins bins(block);
    const bool is_full = bins.NumKeys() == kShape.slots;
    if (!is_full || bins.IsCounted() || !bins.Shows(key.bin)) return {};
    const Last last(bins);
    const uint32_t first = kShape.slots - last.num;
    const uint64_t copies = Copies(bins, block);
    const bool is_copy = Codec::FirstIn(bins, key.bin, Codec::Equal(key, block)) != 0;
    if (HWY_UNLIKELY((copies != 0) | is_copy)) {
      if (hwy::PopCount(copies) + (is_copy ? 1 : 0) >= kDenseManyCopies) return {};
      const bool is_copy_of_last = is_copy & (key.bin == last.bin);
      if (key.bin <= last.bin && (is_copy_of_last | (copies >> first != 0))) return {};
    }
    DenseCutKernels::Evicted evicted{};
    uint32_t num_bits = kShape.slots + bins.num_shown;  // of the string
    if (HWY_LIKELY(key.bin <= last.bin)) {
      for (uint32_t slot = first; slot < kShape.slots; ++slot) {
        left[evicted.num++] = last.bin << bits | RemainderAt(block, slot);
      }
      ClearFrom(first, block);
      num_bits -= last.num_ends + last.num;
    } else {
      num_bits -= bins.num_shown - key.bin;
    }
    if (HWY_UNLIKELY(key.bin >= last.bin)) left[evicted.num++] = key_bits;
    for (uint64_t i = 0; i < evicted.num; ++i) {
      const uint32_t put = left[i];
      left[evicted.num_left] = put;
      evicted.num_left += PairOf::Put(pair, put) ? 0 : 1;
    }
    const DenseWord shown = (DenseWord{1} << (Bits::kFirst + num_bits)) - 1;
    StoreString(bins.String() & shown, bins.flags | Bits::kCut, block);
    if (HWY_LIKELY(key.bin < last.bin)) Codec::Open(key, Bins(block), block);
    return evicted;
  }

  static HWY_INLINE void StoreString(DenseWord string, uint64_t flags, uint32_t* block) {
    const auto low = static_cast<uint64_t>(string) ^ Bits::kEmptyLow;
    const uint64_t others = LoadPresenceWord64(block + 12) & ~Bits::kLowBits;
    StorePresenceWord64(low | others, block + 12);
    const auto high = static_cast<uint64_t>(string >> 64) ^ Bits::kEmptyHigh;
    StorePresenceWord64(high | flags, block + 14);
  }

  static HWY_INLINE uint32_t RemainderAt(const uint32_t* block, uint32_t slot) {
    uint32_t bytes = ByteAt(block, slot);
    if constexpr (kShape.num_bytes() == 2) bytes |= ByteAt(block, kShape.slots + slot) << 8;
    return bytes | HighBitsAt(block, slot, typename Bits::Planes());
  }
  static HWY_INLINE uint32_t ByteAt(const uint32_t* block, uint32_t i) {
    return LoadPresenceWord(block + i / 4) >> i % 4 * 8 & 0xff;
  }
  template <size_t... kIdx>
  static HWY_INLINE uint32_t HighBitsAt([[maybe_unused]] const uint32_t* block,
                                        [[maybe_unused]] uint32_t slot,
                                        std::index_sequence<kIdx...> /*planes*/) {
    return (
        uint32_t{0} | ... |
        (static_cast<uint32_t>(Bits::Plane(block, kIdx) >> slot & 1) << (Bits::kByteBits + kIdx)));
  }

  // Makes the slots from this one on zeros.
  static HWY_INLINE void ClearFrom(uint32_t slot, uint32_t* block) {
    for (uint32_t first = 0; first < kShape.num_bytes() * kShape.slots; first += kShape.slots) {
      ClearBytes(first + slot, first + kShape.slots, block);
    }
    FlipPlanes(block, typename Bits::Planes(), [&](size_t i) HWY_ATTR {
      return Bits::Plane(block, i) & Bits::kAllSlots & ~uint64_t{0} << slot;
    });
  }
  // Bytes [begin, end).
  static HWY_INLINE void ClearBytes(uint32_t begin, uint32_t end, uint32_t* block) {
    uint32_t kept = (uint32_t{1} << begin % 4 * 8) - 1;
    for (uint32_t w = begin / 4; w < (end + 3) / 4; ++w, kept = 0) {
      if (w == end / 4) kept |= ~uint32_t{0} << end % 4 * 8;
      StorePresenceWord(LoadPresenceWord(block + w) & kept, block + w);
    }
  }
  // Flips the slots slots_of(i) of each plane.
  template <size_t... kIdx, class SlotsOf>
  static HWY_INLINE void FlipPlanes([[maybe_unused]] uint32_t* block,
                                    std::index_sequence<kIdx...> /*planes*/,
                                    [[maybe_unused]] const SlotsOf& slots_of) {
    (FlipPlane(kIdx, slots_of(kIdx), block), ...);
  }
  static HWY_INLINE void FlipPlane(size_t i, uint64_t slots, uint32_t* block) {
    const size_t first = kShape.plane_begin(static_cast<uint32_t>(i));
    const auto flip = [block](size_t word, uint64_t flipped) HWY_ATTR {
      StorePresenceWord64(LoadPresenceWord64(block + 2 * word) ^ flipped, block + 2 * word);
    };
    flip(first / 64, slots << first % 64);
    if (first % 64 + kShape.slots > 64) flip(first / 64 + 1, slots >> (64 - first % 64));
  }

  // The slots of a full block whose key a lower slot has, too, one bit each. Two slots of one bin
  // are as near as it has keys.
  static HWY_INLINE uint64_t Copies(const Bins& bins, const uint32_t* block) {
    alignas(64) uint32_t words[32] = {};  // slots of which the first have some before them
    for (size_t i = 0; i < 16; i += 2) {
      StorePresenceWord64(LoadPresenceWord64(block + i), words + 16 + i);
    }
    // The slots that are in the bin of the slot before, then of the one before that, and so on.
    const uint64_t near = ~bins.FirstSlots() & Bits::kAllSlots;
    uint64_t copies = 0;
    uint64_t together = near;
    for (size_t distance = 1; together != 0; ++distance) {
      uint64_t equal = EqualBytes(words + 16, distance);
      if constexpr (kShape.num_bytes() == 2) equal &= equal >> kShape.slots;
      equal &= together;
      for (uint32_t i = 0; i < kShape.num_planes(); ++i) {
        const uint64_t plane = Bits::Plane(block, i);
        equal &= ~(plane ^ plane << distance);
      }
      copies |= equal;
      together = together << 1 & near;
    }
    return copies;
  }

  // The slots whose low byte is that of the slot so far before them.
  static HWY_INLINE uint64_t EqualBytes(const uint32_t* words, size_t distance) {
    const uint8_t* before = reinterpret_cast<const uint8_t*>(words) - distance;
    uint64_t equal = 0;
#if HWY_TARGET == HWY_SCALAR
    for (size_t i = 0; i < 64; ++i) equal |= uint64_t{before[i] == before[i + distance]} << i;
#else
    for (size_t i = 0; i < 16; i += kDenseCutWords) {
      const auto slots = hn::LoadU(SlotsTag<kDenseCutWords>(), before + 4 * i);
      equal |= BytesEqualInVector<kDenseCutWords>(words, i, slots);
    }
#endif
    return equal;
  }

  // --- Pulls.

  // A group has two bins, of which the lower may be shown already.
  static DenseCutKernels::Pulled Pull(uint32_t bits, uint32_t* block, const DensePair& pair) {
    static_assert(kDenseGroupBits == 1);
    const DenseLayout layout{kShape, bits};
    const Bins bins(block);
    const uint32_t lower_bin = bins.num_shown;
    const uint32_t end = std::min(lower_bin | 1, kShape.bins - 1) + 1;
    const uint64_t found = PairOf::Find(pair, lower_bin << bits, bits + kDenseGroupBits);
    uint64_t lower = 0;
    // Of the lower bin, and of the other.
    std::array<std::array<uint32_t, 2 * kMaxLineEntries>, 2> keys;
    std::array<uint32_t, 2> num{};
    for (uint64_t rest = found; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(rest));
      const uint32_t key = PairOf::Line::KeyAt(pair.line[i / 32], i % 32);
      const size_t is_upper = layout.BinOf(key) != lower_bin ? 1 : 0;
      keys[is_upper][num[is_upper]++] = layout.RemainderOf(key);
      lower |= is_upper != 0 ? 0 : rest & (0 - rest);
    }
    const uint32_t num_free = kShape.slots - bins.NumKeys();
    if (num[0] > num_free) return {0, DenseCutKernels::kNoBin};
    const bool fits = num[0] + num[1] <= num_free;
    DenseWord string = bins.String();
    uint32_t slot = bins.NumKeys();
    uint32_t bin = lower_bin;
    for (size_t i = 0; bin < (fits ? end : lower_bin + 1); ++i) {
      for (uint32_t k = 0; k < num[i]; ++k) SetSlot(slot++, keys[i][k], block);
      string |= DenseWord{1} << (Bits::kFirst + bin++ + slot);
    }
    const uint64_t flags = bin < kShape.bins ? bins.flags : bins.flags & Bits::kCounted;
    StoreString(string, flags, block);
    for (uint64_t rest = fits ? found : lower; rest != 0;) {
      const auto i = static_cast<uint32_t>(std::bit_width(rest)) - 1;  // no entry before it moves
      rest ^= uint64_t{1} << i;
      PairOf::Remove(pair, i);
    }
    return {slot - bins.NumKeys(), fits ? PullBin(bin, slot) : DenseCutKernels::kNoBin};
  }

  // A slot that is 0.
  static HWY_INLINE void SetSlot(uint32_t slot, uint32_t remainder, uint32_t* block) {
    SetByte(slot, remainder & 0xff, block);
    if constexpr (kShape.num_bytes() == 2) {
      SetByte(kShape.slots + slot, remainder >> 8 & 0xff, block);
    }
    FlipPlanes(block, typename Bits::Planes(), [&](size_t i) HWY_ATTR {
      return uint64_t{remainder >> (Bits::kByteBits + i) & 1} << slot;
    });
  }
  static HWY_INLINE void SetByte(uint32_t i, uint32_t byte, uint32_t* block) {
    StorePresenceWord(LoadPresenceWord(block + i / 4) | byte << i % 4 * 8, block + i / 4);
  }
};

// Only queries are other ones beside writers.
template <class Codec>
void AddDenseShape(FingerprintKernels& alone, FingerprintKernels& versioned) {
  alone = BinnedKernels<Codec, GroupChangeIfVersioned, NoGroupReads>();
  versioned = alone;
  versioned.query = &QueryBinnedKeys<Codec, GroupReads>;
  versioned.query_one = &QueryOneBinned<Codec, GroupReads>;
}

// The shapes from this one on.
template <size_t kFirst, size_t kNum>
void AddDenseShapes(KernelTable& kernels) {
  const auto add = [&]<size_t... kIdx>(std::index_sequence<kIdx...>) {
    (AddDenseShape<Dense<kDenseShapes[kFirst + kIdx]>>(kernels.dense[kFirst + kIdx],
                                                       kernels.versioned_dense[kFirst + kIdx]),
     ...);
    ((kernels.dense_cuts[kFirst + kIdx] = DenseCut<kDenseShapes[kFirst + kIdx]>::Kernels()), ...);
  };
  add(std::make_index_sequence<kNum>());
}

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
