// One key and its dense block (dense_layout.h). Included once per target. Batches: binned-inl.h.
//
// Where a bin ends is a 1 of the unary string, in one of the block's last two words. Which of the
// two it is cannot be predicted, so it is never branched on: masks choose.
#if defined(TROMMEL_KERNELS_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_DENSE_INL_H_
#undef TROMMEL_KERNELS_DENSE_INL_H_
#else
#define TROMMEL_KERNELS_DENSE_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hwy/highway.h"
#include "kernels/binned-inl.h"
#include "kernels/byte_slots-inl.h"
#include "kernels/dense_lanes-inl.h"
#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/presence_words.h"
#include "kernels/select-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// The unary string of a block, with a 1 behind each bin that is shown, and nothing else.
template <DenseShape kShape>
struct DenseBins {
  using Bits = DenseBits<kShape>;

  explicit HWY_INLINE DenseBins(const uint32_t* block) {
    const uint64_t w6 = LoadPresenceWord64(block + 12);
    const uint64_t w7 = LoadPresenceWord64(block + 14);
    const auto cut = static_cast<uint64_t>(static_cast<int64_t>(w7) >> 63);
    const uint64_t flag_bits = Bits::kCounted | (cut & (Bits::kCut | Bits::kSpilled));
    flags = w7 & flag_bits;
    low = (w6 ^ Bits::kEmptyLow) & Bits::kLowBits;
    high = (w7 ^ Bits::kEmptyHigh) & ~flag_bits;
    num_low = RankSelect::Ones(low);
    num_shown = num_low + RankSelect::Ones(high);
  }

  HWY_INLINE bool Shows(uint32_t bin) const { return bin < num_shown; }
  HWY_INLINE bool IsCut() const { return (flags & Bits::kCut) != 0; }
  HWY_INLINE bool IsCounted() const { return (flags & Bits::kCounted) != 0; }
  HWY_INLINE uint32_t NumKeys() const {
    const auto width = static_cast<uint32_t>(high != 0 ? 64 + std::bit_width(high)  //
                                                       : std::bit_width(low));
    return width - Bits::kFirst - num_shown;
  }

  HWY_INLINE DenseWord String() const { return DenseWord{high} << 64 | low; }
  // The slots that are the first of their bins, one bit each. Requires a full block.
  HWY_INLINE uint64_t FirstSlots() const {
    const DenseWord behind_ends = String() << 1 | DenseWord{1} << Bits::kFirst;
    const uint64_t slots = ~low & Bits::kLowBits;
    return RankSelect::Extract(static_cast<uint64_t>(behind_ends), slots) |
           RankSelect::Extract(static_cast<uint64_t>(behind_ends >> 64), ~high)
               << (64 - Bits::kFirst - num_low);
  }

  // A bit of the string.
  struct Bit {
    uint64_t bit;
    uint64_t in_low;  // all 1s if it is one of the lower word, else 0
  };
  // The word with that bit, and the rank there of what has this rank in the string.
  HWY_INLINE uint64_t WordOf(uint64_t in_low) const { return high ^ ((high ^ low) & in_low); }
  HWY_INLINE uint32_t RankIn(uint64_t in_low, uint32_t rank) const {
    return rank - (num_low & ~static_cast<uint32_t>(in_low));
  }

  // The 1 behind a bin, which must be shown; `slot` becomes the one behind its last.
  HWY_INLINE Bit EndOf(uint32_t bin, uint32_t& slot) const {
    const auto in_low = static_cast<uint64_t>((int64_t{bin} - int64_t{num_low}) >> 63);
    const uint64_t bit = RankSelect::One(WordOf(in_low), RankIn(in_low, bin));
    const auto at =
        static_cast<uint32_t>(std::countr_zero(bit)) + static_cast<uint32_t>(64 & ~in_low);
    slot = at - Bits::kFirst - bin;
    return {bit, in_low};
  }
  // The 0 of a slot, if it is in the bin.
  HWY_INLINE Bit ZeroOf(uint32_t slot, uint32_t bin) const {
    const uint32_t at = slot + bin + Bits::kFirst;
    return {uint64_t{1} << at % 64, static_cast<uint64_t>((int64_t{at} - 64) >> 63)};
  }
  // Is it? As many 1s must be below as bins are. Not for a bin that is cut.
  HWY_INLINE bool IsZeroOf(const Bit& zero, uint32_t bin) const {
    const uint64_t word = WordOf(zero.in_low);
    const bool is_zero = (word & zero.bit) == 0;
    return is_zero & (RankSelect::Ones(word & (zero.bit - 1)) == RankIn(zero.in_low, bin));
  }

  // The block's last two words.
  struct Words {
    uint64_t w6;  // without what is below the string
    uint64_t w7;
  };
  // With one 0 more before that 1, or without that 0. A number added to itself is shifted: so what
  // is above moves up, and half of it down.
  HWY_INLINE DenseWord From(const Bit& bit) const {
    const uint64_t above = 0 - bit.bit;
    return DenseWord{high & (above | bit.in_low)} << 64 | (low & above & bit.in_low);
  }
  HWY_INLINE Words Opened(const Bit& end) const { return WordsOf(String() + From(end)); }
  HWY_INLINE Words Closed(const Bit& zero) const { return WordsOf(String() - (From(zero) >> 1)); }
  HWY_INLINE Words WordsOf(DenseWord bins) const {
    return {static_cast<uint64_t>(bins) ^ Bits::kEmptyLow,
            (static_cast<uint64_t>(bins >> 64) ^ Bits::kEmptyHigh) | flags};
  }

  uint64_t low;
  uint64_t high;
  uint64_t flags;
  uint32_t num_low;  // bins that end there
  uint32_t num_shown;
};

// Slots that move. Below, `tail` is the block's words without the bytes of slots.
template <DenseShape kShape, bool kOpens>
struct DenseMove {
  static constexpr size_t kSlots = kShape.slots;
  static constexpr size_t kSlotBytes = kSlots * kShape.num_bytes();
  static constexpr size_t kKept = kSlots - (kOpens ? 0 : 1);  // slots that may have keys then

  // The planes, moved, are or'ed into the tail.
  template <size_t... kIdx>
  static HWY_INLINE void MovePlanes([[maybe_unused]] uint32_t slot,
                                    [[maybe_unused]] uint32_t remainder,
                                    [[maybe_unused]] const uint32_t* block,
                                    [[maybe_unused]] uint64_t* tail,
                                    std::index_sequence<kIdx...> /*planes*/) {
    (MovePlane<kIdx>(slot, remainder, block, tail), ...);
  }
  template <size_t kIdx>
  static HWY_INLINE void MovePlane(uint32_t slot, uint32_t remainder, const uint32_t* block,
                                   uint64_t* tail) {
    const uint64_t below = (uint64_t{1} << slot) - 1;
    const uint64_t plane = DenseBits<kShape>::Plane(block, kIdx) & DenseBits<kShape>::kAllSlots;
    const uint64_t bit = remainder >> (DenseBits<kShape>::kByteBits + kIdx) & 1;
    const uint64_t moved = kOpens ? (plane & ~below) << 1 | bit << slot : plane >> 1 & ~below;
    const uint64_t bits = (plane & below) | moved;
    constexpr size_t kFirst = kShape.plane_begin(kIdx);
    tail[kFirst / 64] |= bits << kFirst % 64;
    if constexpr (kFirst % 64 + kShape.slots > 64) {
      tail[kFirst / 64 + 1] |= bits >> (64 - kFirst % 64);
    }
  }

#if HWY_TARGET == HWY_SCALAR

  static HWY_INLINE void MoveBytes(uint32_t slot, uint32_t remainder, const uint64_t* tail,
                                   uint32_t* block) {
    uint8_t bytes[64];
    for (size_t i = 0; i < 8; ++i) {
      const uint64_t word = LoadPresenceWord64(block + 2 * i);
      std::memcpy(bytes + 8 * i, &word, sizeof(word));
    }
    for (size_t first = 0; first < kSlotBytes; first += kSlots, remainder >>= 8) {
      uint8_t* slots = bytes + first;
      std::memmove(slots + slot + (kOpens ? 1 : 0), slots + slot + (kOpens ? 0 : 1),
                   kSlots - 1 - slot);
      if (kOpens) slots[slot] = static_cast<uint8_t>(remainder);
      std::memset(slots + kKept, 0, kSlots - kKept);
    }
    std::memset(bytes + kSlotBytes, 0, sizeof(bytes) - kSlotBytes);
    for (size_t i = 0; i < 8; ++i) {
      uint64_t word;
      std::memcpy(&word, bytes + 8 * i, sizeof(word));
      StorePresenceWord64(word | tail[i], block + 2 * i);
    }
  }

#else

  // Of each byte of a block: its slot, or kNoSlot; whether it stays a slot's; whether it is the
  // second byte of a remainder.
  static constexpr uint8_t kNoSlot = 0x7f;
  struct Bytes {
    alignas(16) uint8_t slots[64];
    alignas(16) uint8_t kept[64];
    alignas(16) uint8_t second[64];
  };
  static constexpr Bytes kBytes = [] {
    Bytes bytes{};
    for (size_t i = 0; i < 64; ++i) {
      bytes.slots[i] = static_cast<uint8_t>(i < kSlotBytes ? i % kSlots : kNoSlot);
      bytes.kept[i] = bytes.slots[i] < kKept ? 0xff : 0;
      bytes.second[i] = i >= kSlots ? 0xff : 0;
    }
    return bytes;
  }();

  static HWY_INLINE void MoveBytes(uint32_t slot, uint32_t remainder, const uint64_t* tail,
                                   uint32_t* block) {
    // Each vector is moved before its neighbour is, of which it takes a byte.
    if constexpr (kOpens) {
      MoveVector<3>(slot, remainder, tail, block);
      MoveVector<2>(slot, remainder, tail, block);
      MoveVector<1>(slot, remainder, tail, block);
      MoveVector<0>(slot, remainder, tail, block);
    } else {
      MoveVector<0>(slot, remainder, tail, block);
      MoveVector<1>(slot, remainder, tail, block);
      MoveVector<2>(slot, remainder, tail, block);
      MoveVector<3>(slot, remainder, tail, block);
    }
  }

  template <size_t kIdx>
  static HWY_INLINE void MoveVector(uint32_t slot, uint32_t remainder, const uint64_t* tail,
                                    uint32_t* block) {
    constexpr size_t kBegin = 16 * kIdx;
    const ByteSlotTag d;
    const hn::Repartition<int8_t, ByteSlotTag> d_signed;
    if constexpr (kBegin >= kSlotBytes) {
      StorePresenceWord64(tail[2 * kIdx], block + 4 * kIdx);
      StorePresenceWord64(tail[2 * kIdx + 1], block + 4 * kIdx + 2);
    } else {
      const auto slots = LoadByteSlots(block, kBegin);
      const auto of_slot = hn::Load(d, kBytes.slots + kBegin);
      const auto wanted = hn::Set(d, static_cast<uint8_t>(slot));
      const auto is_before =
          hn::RebindMask(d, hn::Lt(hn::BitCast(d_signed, of_slot), hn::BitCast(d_signed, wanted)));
      auto moved = slots;
      if constexpr (kOpens) {
        auto byte = hn::Set(d, static_cast<uint8_t>(remainder));
        if constexpr (kSlotBytes > kSlots && kBegin + 16 > kSlots) {
          byte = hn::IfVecThenElse(hn::Load(d, kBytes.second + kBegin),
                                   hn::Set(d, static_cast<uint8_t>(remainder >> 8)), byte);
        }
        auto behind = hn::ShiftLeftBytes<1>(d, slots);
        if constexpr (kIdx > 0) {
          behind = hn::CombineShiftRightBytes<15>(d, slots, LoadByteSlots(block, kBegin - 16));
        }
        moved =
            hn::IfThenElse(hn::Eq(of_slot, wanted), byte, hn::IfThenElse(is_before, slots, behind));
      } else {
        auto next = hn::ShiftRightBytes<1>(d, slots);
        if constexpr (kIdx < 3) {
          next = hn::CombineShiftRightBytes<1>(d, LoadByteSlots(block, kBegin + 16), slots);
        }
        moved = hn::IfThenElse(is_before, slots, next);
      }
      if constexpr (kBegin + 16 > kKept) moved = hn::And(moved, hn::Load(d, kBytes.kept + kBegin));
      if constexpr (kBegin + 16 > kSlotBytes) {
        const hn::Repartition<uint64_t, ByteSlotTag> d64;
        const auto words = hn::InterleaveLower(d64, hn::Set(d64, tail[2 * kIdx]),
                                               hn::Set(d64, tail[2 * kIdx + 1]));
        moved = hn::Or(moved, hn::BitCast(d, words));
      }
      StoreByteSlots(moved, block, kBegin);
    }
  }

#endif

  template <class Words>
  static HWY_INLINE void Apply(uint32_t slot, uint32_t remainder, const Words& words,
                               uint32_t* block) {
    uint64_t tail[8] = {0, 0, 0, 0, 0, 0, words.w6, words.w7};
    MovePlanes(slot, remainder, block, tail, typename DenseBits<kShape>::Planes());
    MoveBytes(slot, remainder, tail, block);
  }
};

// The codec. kSpill: the store does it.
template <DenseShape kShape>
struct Dense : DenseLanes<kShape> {
  using Bins = DenseBins<kShape>;

  struct Key {
    HWY_INLINE Key(uint64_t rest, const FingerprintBlocks& blocks)
        : Key(DenseLayout{kShape, blocks.fingerprint_bits},
              DenseLayout{kShape, blocks.fingerprint_bits}.KeyOf(rest)) {}
    HWY_INLINE Key(const DenseLayout& layout, uint32_t key)
        : Key(layout.BinOf(key), layout.RemainderOf(key)) {}
    HWY_INLINE Key(uint32_t of_bin, uint32_t of_remainder) : bin(of_bin), remainder(of_remainder) {}

    uint32_t bin;
    uint32_t remainder;
  };

  static HWY_INLINE uint64_t Equal(const Key& key, const uint32_t* block) {
    const uint32_t byte = key.remainder & 0xff;
    return DenseBits<kShape>::AlsoEqual(BytesEqual(block, byte), key.remainder, block);
  }

  static HWY_INLINE OneFate Open(const Key& key, const Bins& bins, uint32_t* block) {
    const bool is_counted = bins.IsCounted();
    const uint32_t num_keys = bins.NumKeys();
    const bool has_space = bins.Shows(key.bin) & !is_counted & (num_keys < kShape.slots);
    if (HWY_UNLIKELY(!has_space)) return OneFate::kSpill;
    uint32_t slot = 0;
    const auto end = bins.EndOf(key.bin, slot);
    DenseMove<kShape, true>::Apply(slot, key.remainder, bins.Opened(end), block);
    return OneFate::kDone;
  }
  static HWY_INLINE OneFate Insert(const Key& key, uint32_t* block) {
    return Open(key, Bins(block), block);
  }
  static HWY_INLINE OneFate InsertIfAbsent(const Key& key, uint32_t* block) {
    const Bins bins(block);
    const uint64_t equal = Equal(key, block);
    if (HWY_LIKELY(bins.Shows(key.bin)) && FirstIn(bins, key.bin, equal) != 0) {
      return OneFate::kUnchanged;
    }
    return Open(key, bins, block);
  }

  // The equal slots from the first on that is in the bin: 0 if none is. Nearly always it is the
  // first of all, if there is one.
  static HWY_INLINE uint64_t FirstIn(const Bins& bins, uint32_t bin, uint64_t equal) {
    for (; equal != 0; equal &= equal - 1) {
      const auto slot = static_cast<uint32_t>(std::countr_zero(equal));
      if (HWY_LIKELY(bins.IsZeroOf(bins.ZeroOf(slot, bin), bin))) break;
    }
    return equal;
  }

  // A cut block that would have kPullSlots free slots is left to the store.
  static HWY_INLINE OneFate Erase(const Key& key, uint32_t* block) {
    return Erase<kDensePullSlots>(key, Bins(block), block);
  }
  template <uint32_t kPullSlots>
  static HWY_INLINE OneFate Erase(const Key& key, const Bins& bins, uint32_t* block) {
    const uint64_t all_equal = Equal(key, block);
    if (HWY_UNLIKELY(!bins.Shows(key.bin))) return OneFate::kSpill;
    const uint64_t equal = FirstIn(bins, key.bin, all_equal);
    if (HWY_UNLIKELY(equal == 0)) return OneFate::kUnchanged;
    const uint32_t num_left = bins.NumKeys() - 1;
    const bool may_pull = bins.IsCut() & (num_left + kPullSlots <= kShape.slots);
    if (HWY_UNLIKELY(bins.IsCounted() | may_pull)) return OneFate::kSpill;
    const auto slot = static_cast<uint32_t>(std::countr_zero(equal));
    DenseMove<kShape, false>::Apply(slot, 0, bins.Closed(bins.ZeroOf(slot, key.bin)), block);
    return OneFate::kDone;
  }

  // Whether the first equal slot is in the key's bin, which is shown then: by a look at the slot's
  // 0 and a count of the 1s below it. May be false for a key that is shown: QueryBin tells.
  static HWY_INLINE bool IsFirstIn(const Key& key, uint64_t equal, const uint32_t* block) {
    using Bits = DenseBits<kShape>;
    const uint64_t low = (LoadPresenceWord64(block + 12) ^ Bits::kEmptyLow) & Bits::kLowBits;
    const uint64_t high = LoadPresenceWord64(block + 14) ^ Bits::kEmptyHigh;
    const uint32_t at = static_cast<uint32_t>(std::countr_zero(equal)) + key.bin + Bits::kFirst;
    const auto in_low = static_cast<uint64_t>((int64_t{at} - 64) >> 63);
    const uint64_t to_zero = (high ^ ((high ^ low) & in_low)) << (~at & 63);
    const uint32_t ones =
        RankSelect::Ones(to_zero) + (RankSelect::Ones(low) & ~static_cast<uint32_t>(in_low));
    // The slots behind a cut block's last key are 0, and so may be those of the bin that is next.
    return (equal != 0) & (to_zero >> 63 == 0) & (ones == key.bin) & (key.remainder != 0);
  }

  // Most absent keys are equal to no slot of the block, whatever its bin: these are no candidates.
  static HWY_INLINE bool IsCandidate(const Key& key, uint64_t equal, const uint32_t* block) {
    return (equal != 0) | !Bins(block).Shows(key.bin);
  }
  static HWY_INLINE OneFate QueryBin(const Key& key, uint64_t equal, const uint32_t* block) {
    const Bins bins(block);
    if (HWY_UNLIKELY(!bins.Shows(key.bin))) return OneFate::kSpill;
    return FirstIn(bins, key.bin, equal) != 0 ? OneFate::kDone : OneFate::kUnchanged;
  }
  static HWY_INLINE OneFate Query(const Key& key, const uint32_t* block) {
    const uint64_t equal = Equal(key, block);
    return IsCandidate(key, equal, block) ? QueryBin(key, equal, block) : OneFate::kUnchanged;
  }
};

}  // namespace

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
