// The slots of one stamped block (stamped_layout.h), compared with a fingerprint or a stamp all at
// once. Included once per target.
//
// A shape is a struct of static functions, of which the kernels are templates. Masks of slots have
// kWideMaskBits bits per slot (wide_slots-inl.h). Queries of several keys turn fingerprints into
// what they compare slots with (`wanted`) in vectors.
#if defined(TROMMEL_KERNELS_STAMPED_SLOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_STAMPED_SLOTS_INL_H_
#undef TROMMEL_KERNELS_STAMPED_SLOTS_INL_H_
#else
#define TROMMEL_KERNELS_STAMPED_SLOTS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/presence_words.h"
#include "kernels/stamped_layout.h"
#include "kernels/wide_slots-inl.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

template <class Slots>
HWY_INLINE void SweepSlots(uint32_t* block, uint64_t shift) {
  for (size_t i = 0; i < Slots::kShape.num_slots; ++i) {
    StampedSlot slot = LoadSlot(Slots::kShape, block, i);
    if (slot.fingerprint == 0) continue;
    slot = slot.stamp < shift
               ? StampedSlot{}
               : StampedSlot{slot.fingerprint, slot.stamp - static_cast<uint32_t>(shift)};
    StoreSlot(Slots::kShape, slot, i, block);
  }
}

struct Stamped16 {
  static constexpr StampedShape kShape = kStampedShape16;

#if HWY_TARGET == HWY_SCALAR
  template <class Takes>
  static HWY_INLINE uint64_t SlotsWhere(const uint32_t* block, const Takes& takes) {
    uint64_t slots = 0;
    for (size_t i = 0; i < kStampedSlots16; ++i) {
      slots |= static_cast<uint64_t>(takes(LoadSlot16(block, i))) << i;
    }
    return slots;
  }
  static HWY_INLINE uint64_t Equal(const uint32_t* block, uint32_t fingerprint) {
    return SlotsWhere(block, [=](StampedSlot slot) { return slot.fingerprint == fingerprint; });
  }
  static HWY_INLINE size_t UsableSlot(const uint32_t* block, uint64_t kept) {
    const uint64_t slots = SlotsWhere(
        block, [=](StampedSlot slot) { return slot.fingerprint == 0 || slot.stamp < kept; });
    return slots == 0 ? kStampedSlots16 : LowestWideSlot(slots);
  }
  static HWY_INLINE bool ShowsWanted(const uint32_t* block, uint32_t wanted, uint64_t live) {
    return SlotsWhere(block, [=](StampedSlot slot) {
             return slot.fingerprint == (wanted >> 4 & 0xfff) && slot.stamp >= live;
           }) != 0;
  }
  static HWY_INLINE void Store(const StampedSlot& slot, size_t slot_idx, uint32_t* block) {
    StoreSlot16(slot, slot_idx, block);
  }
  static HWY_INLINE void Sweep(uint32_t* block, uint64_t shift) {
    SweepSlots<Stamped16>(block, shift);
  }
#else
  // The slots with this fingerprint.
  static HWY_INLINE uint64_t Equal(const uint32_t* block, uint32_t fingerprint) {
    const WideSlotTag d;
    const auto wanted = hn::Set(d, static_cast<uint16_t>(fingerprint << 4));
    const auto fingerprints = hn::Set(d, uint16_t{0xfff0});
    const size_t step = hn::Lanes(WideWordTag());
    uint64_t slots = 0;
    for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
      const auto found = hn::Eq(hn::And(LoadWideSlots(block, i), fingerprints), wanted);
      slots |= WideMaskBitsOf(found) << (i * 2 * kWideMaskBits);
    }
    return slots;
  }

  // The first slot that is free, or whose stamp is below `kept`; kStampedSlots16: there is none.
  static HWY_INLINE size_t UsableSlot(const uint32_t* block, uint64_t kept) {
    const WideSlotTag d;
    const hn::RebindToSigned<WideSlotTag> d_signed;
    const auto stamps = hn::Set(d, uint16_t{15});
    const auto first_kept = hn::Set(d_signed, static_cast<int16_t>(kept));
    const size_t step = hn::Lanes(WideWordTag());
    uint64_t slots = 0;
    for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
      const auto words = LoadWideSlots(block, i);
      const auto is_free = hn::Eq(words, hn::Zero(d));
      const auto is_old = hn::Lt(hn::BitCast(d_signed, hn::And(words, stamps)), first_kept);
      const auto found = hn::Or(is_free, hn::RebindMask(d, is_old));
      slots |= WideMaskBitsOf(found) << (i * 2 * kWideMaskBits);
    }
    return slots == 0 ? kStampedSlots16 : LowestWideSlot(slots);
  }

  // Does a slot have the fingerprint, with a stamp of at least `live`? As numbers such slots lie
  // side by side, the last 16 - live (`num`) of these:
  //   fingerprint, 0 .. fingerprint, 15 (in both halves of `wanted`)
  static HWY_INLINE bool ShowsWanted(const uint32_t* block, uint32_t wanted, uint64_t live) {
    const WideWordTag d;
    const WideSlotTag d_slots;
    constexpr uint64_t kNumStamps = kMaxStamp16 + 1;
    const auto last = hn::BitCast(d_slots, hn::Set(d, wanted));
    const auto num =
        hn::Set(d_slots, static_cast<uint16_t>(kNumStamps - HWY_MIN(live, kNumStamps)));
    const size_t step = hn::Lanes(d);
    // Above 0 for slots that are shown.
    auto shown = hn::SaturatedSub(num, hn::Sub(last, LoadWideSlots(block, 0)));
    for (size_t i = step; i < kFingerprintBlockWords; i += step) {
      shown = hn::Or(shown, hn::SaturatedSub(num, hn::Sub(last, LoadWideSlots(block, i))));
    }
    return AnyBit(d_slots, shown);
  }

  // All slots are stored: see FlipWideSlot.
  static HWY_INLINE void Store(const StampedSlot& slot, size_t slot_idx, uint32_t* block) {
    const WideSlotTag d;
    const auto word = hn::Set(d, static_cast<uint16_t>(StampedWord16(slot)));
    const auto stored = hn::Set(d, static_cast<uint16_t>(slot_idx));
    const size_t step = hn::Lanes(WideWordTag());
    for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
      const auto is_stored = hn::Eq(hn::Iota(d, static_cast<uint16_t>(2 * i)), stored);
      const auto words = hn::IfThenElse(is_stored, word, LoadWideSlots(block, i));
      StorePresence(hn::BitCast(WideWordTag(), words), WideWordTag(), block + i);
    }
  }

  static HWY_INLINE void Sweep(uint32_t* block, uint64_t shift) {
    const WideSlotTag d;
    const hn::RebindToSigned<WideSlotTag> d_signed;
    const auto shifts = hn::Set(d, static_cast<uint16_t>(HWY_MIN(shift, kMaxStamp16 + 1)));
    const size_t step = hn::Lanes(WideWordTag());
    for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
      const auto words = LoadWideSlots(block, i);
      const auto stamps = hn::And(words, hn::Set(d, uint16_t{15}));
      const auto is_old = hn::Lt(hn::BitCast(d_signed, stamps), hn::BitCast(d_signed, shifts));
      const auto swept = hn::IfThenZeroElse(hn::RebindMask(d, is_old), hn::Sub(words, shifts));
      StorePresence(hn::BitCast(WideWordTag(), swept), WideWordTag(), block + i);
    }
  }
#endif

  template <class D>
  static HWY_INLINE hn::Vec<D> WantedOf(D d, hn::Vec<D> fingerprints) {
    const auto both = hn::Or(hn::ShiftLeft<4>(fingerprints), hn::ShiftLeft<20>(fingerprints));
    return hn::Or(both, hn::Set(d, uint64_t{0xf000f}));
  }
  static HWY_INLINE bool Shows(const uint32_t* block, uint32_t fingerprint, uint64_t live) {
    return ShowsWanted(block, fingerprint * 0x100010U | 0xf000fU, live);
  }

  static HWY_INLINE uint32_t StampAt(const uint32_t* block, size_t slot_idx) {
    return LoadSlot16(block, slot_idx).stamp;
  }
};

struct Stamped24 {
  static constexpr StampedShape kShape = kStampedShape24;
  static constexpr uint64_t kAllSlots = (uint64_t{1} << (kStampedSlots24 * kWideMaskBits)) - 1;

  static HWY_INLINE uint64_t Equal(const uint32_t* block, uint32_t fingerprint) {
    return EqualWideSlots(block, fingerprint) & kAllSlots;
  }

  // One bit per slot.
  static HWY_INLINE uint64_t OldSlots(const uint32_t* block, uint64_t kept) {
#if HWY_TARGET == HWY_SCALAR
    uint64_t slots = 0;
    for (size_t i = 0; i < kStampedSlots24; ++i) {
      slots |= static_cast<uint64_t>(LoadStamp24(block, i) < kept) << i;
    }
    return slots;
#else
    const hn::Repartition<uint8_t, WideWordTag> d;
    if (kept > kMaxStamp24) return ~uint64_t{0} >> (64 - kStampedSlots24);
    const auto first_kept = hn::Set(d, static_cast<uint8_t>(kept));
    const size_t step = hn::Lanes(WideWordTag());
    uint64_t bytes = 0;
    for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
      const auto stamps = hn::BitCast(d, LoadPresence(WideWordTag(), block + i));
      uint8_t bits[8] = {};
      hn::StoreMaskBits(d, hn::Lt(stamps, first_kept), bits);
      uint64_t word;
      std::memcpy(&word, bits, sizeof(word));
      bytes |= word << (i * 4);
    }
    return bytes >> kStampBytesAt & (~uint64_t{0} >> (64 - kStampedSlots24));
#endif
  }

  static HWY_INLINE size_t UsableSlot(const uint32_t* block, uint64_t kept) {
    const uint64_t free = Equal(block, 0);
    if (free != 0) return LowestWideSlot(free);
    const uint64_t old = OldSlots(block, kept);
    return old == 0 ? kStampedSlots24 : hwy::Num0BitsBelowLS1Bit_Nonzero64(old);
  }

  static HWY_INLINE bool Shows(const uint32_t* block, uint32_t fingerprint, uint64_t live) {
    const uint64_t equal = Equal(block, fingerprint);
    // Without one, the byte behind the last stamp is read.
    const size_t slot_idx = LowestWideSlot(equal | (kAllSlots + 1));
    return static_cast<bool>(static_cast<int>(equal != 0) &
                             static_cast<int>(LoadStamp24(block, slot_idx) >= live));
  }

  template <class D>
  static HWY_INLINE hn::Vec<D> WantedOf(D /*d*/, hn::Vec<D> fingerprints) {
    return fingerprints;
  }
  static HWY_INLINE bool ShowsWanted(const uint32_t* block, uint32_t wanted, uint64_t live) {
    return Shows(block, wanted, live);
  }

  static HWY_INLINE uint32_t StampAt(const uint32_t* block, size_t slot_idx) {
    return LoadStamp24(block, slot_idx);
  }
  static HWY_INLINE void Sweep(uint32_t* block, uint64_t shift) {
    SweepSlots<Stamped24>(block, shift);
  }
  static HWY_INLINE void Store(const StampedSlot& slot, size_t slot_idx, uint32_t* block) {
    StoreSlot24(slot, slot_idx, block);
  }
};

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
