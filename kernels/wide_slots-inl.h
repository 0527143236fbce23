// One block of fingerprints in slots of 16 bits (fingerprint_layout.h): its slots compared with a
// key, and the update or query of one key. Included once per target.
//
// All slots of a block are compared with the key, or with 0 for the free ones, at once. The
// result is a mask of slots, of which the lowest bit is taken: that half of the block or vector
// which has the slot is never branched on, because it cannot be predicted.
#if defined(TROMMEL_KERNELS_WIDE_SLOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_WIDE_SLOTS_INL_H_
#undef TROMMEL_KERNELS_WIDE_SLOTS_INL_H_
#else
#define TROMMEL_KERNELS_WIDE_SLOTS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/presence_words.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// A key twice, in a word.
HWY_INLINE uint32_t WidePair(uint32_t key) { return key | key << 16; }

#if HWY_TARGET == HWY_SCALAR

// Vectors of one word have no slots of half a word.
inline constexpr size_t kWideMaskBits = 1;

HWY_INLINE uint64_t EqualWideSlots(const uint32_t* block, uint32_t key) {
  uint64_t slots = 0;
  for (size_t i = 0; i < kFingerprintBlockWords; ++i) {
    const uint32_t differing = LoadPresenceWord(block + i) ^ WidePair(key);
    slots |= static_cast<uint64_t>((differing & 0xffff) == 0) << (2 * i);
    slots |= static_cast<uint64_t>((differing >> 16) == 0) << (2 * i + 1);
  }
  return slots;
}

// Does the block show the key?
HWY_INLINE bool ShowsWide(const uint32_t* block, uint32_t key) {
  return EqualWideSlots(block, key) != 0;
}
HWY_INLINE bool ShowsWidePair(const uint32_t* block, uint32_t pair) {
  return ShowsWide(block, pair & 0xffff);
}

#else

// Vectors no longer than a block.
using WideWordTag = hn::CappedTag<uint32_t, kFingerprintBlockWords>;
using WideSlotTag = hn::Repartition<uint16_t, WideWordTag>;

// The slots of a block's words i and following, as many as fit a vector.
HWY_INLINE hn::Vec<WideSlotTag> LoadWideSlots(const uint32_t* block, size_t i) {
  return hn::BitCast(WideSlotTag(), LoadPresence(WideWordTag(), block + i));
}

// A mask of slots as bits, kWideMaskBits per slot. Before AVX-512 x86 takes these from bytes.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
inline constexpr size_t kWideMaskBits = 2;
using WideMaskTag = hn::Repartition<uint8_t, WideWordTag>;
HWY_INLINE hn::Mask<WideMaskTag> ToWideMask(hn::Mask<WideSlotTag> slots) {
  return hn::MaskFromVec(hn::BitCast(WideMaskTag(), hn::VecFromMask(WideSlotTag(), slots)));
}
#else
inline constexpr size_t kWideMaskBits = 1;
using WideMaskTag = WideSlotTag;
HWY_INLINE hn::Mask<WideMaskTag> ToWideMask(hn::Mask<WideSlotTag> slots) { return slots; }
#endif

// One vector's. As many bytes are read as fixed vectors write: others would wait for the store.
HWY_INLINE uint64_t WideMaskBitsOf(hn::Mask<WideSlotTag> slots) {
  constexpr size_t kMaxBits = hn::MaxLanes(WideMaskTag());
  using Bits = std::conditional_t<kMaxBits <= 8, uint8_t,
                                  std::conditional_t<kMaxBits <= 16, uint16_t, uint32_t> >;
  static_assert(kMaxBits <= 32);
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(WideMaskTag(), ToWideMask(slots), bytes);
  Bits bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

// The slots that are equal to `key`: kWideMaskBits bits per slot, slot 0 the lowest.
HWY_INLINE uint64_t EqualWideSlots(const uint32_t* block, uint32_t key) {
  const auto keys = hn::Set(WideSlotTag(), static_cast<uint16_t>(key));
  const size_t step = hn::Lanes(WideWordTag());
  uint64_t slots = 0;
  for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
    const uint64_t bits = WideMaskBitsOf(hn::Eq(LoadWideSlots(block, i), keys));
    slots |= bits << (i * 2 * kWideMaskBits);
  }
  return slots;
}

HWY_INLINE bool ShowsWideKeys(const uint32_t* block, hn::Vec<WideSlotTag> keys) {
  const WideSlotTag d;
  const size_t step = hn::Lanes(WideWordTag());
  auto equal = hn::Eq(LoadWideSlots(block, 0), keys);
  for (size_t i = step; i < kFingerprintBlockWords; i += step) {
    equal = hn::Or(equal, hn::Eq(LoadWideSlots(block, i), keys));
  }
  return !hn::AllFalse(d, equal);
}

// Does the block show the key?
HWY_INLINE bool ShowsWide(const uint32_t* block, uint32_t key) {
  return ShowsWideKeys(block, hn::Set(WideSlotTag(), static_cast<uint16_t>(key)));
}
HWY_INLINE bool ShowsWidePair(const uint32_t* block, uint32_t pair) {
  return ShowsWideKeys(block, hn::BitCast(WideSlotTag(), hn::Set(WideWordTag(), pair)));
}

#endif

// IsMarkedWide, beside writers.
HWY_INLINE bool HasWideMark(const uint32_t* block) {
  return (LoadPresenceWord(block + kFingerprintBlockWords - 1) | 0xff00ffffU) == 0xffffffffU;
}

// The index of the lowest of these slots. Requires one.
HWY_INLINE size_t LowestWideSlot(uint64_t slots) {
  return hwy::Num0BitsBelowLS1Bit_Nonzero64(slots) / kWideMaskBits;
}

// Flips the bits of `key` in one slot: a free slot gets the key, a slot of this key becomes free.
// kWideSlots: in none.
HWY_INLINE void FlipWideSlot(size_t slot_idx, uint32_t key, uint32_t* block) {
#if HWY_TARGET == HWY_SCALAR
  if (slot_idx == kWideSlots) return;
  uint32_t* word = block + slot_idx / 2;
  StorePresenceWord(LoadPresenceWord(word) ^ key << (slot_idx % 2 * 16), word);
#else
  // All slots are stored, because the block's address is known before its slots: a store whose
  // address depends on what is loaded holds up the loads of later keys. One key per call took 17 ns
  // per insert and 13 per erase where a store of one word took 20 and 16 (AMD EPYC, AVX2, 1 M
  // keys).
  const WideSlotTag d;
  const auto keys = hn::Set(d, static_cast<uint16_t>(key));
  const auto flipped = hn::Set(d, static_cast<uint16_t>(slot_idx));
  const size_t step = hn::Lanes(WideWordTag());
  for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
    const auto is_flipped = hn::Eq(hn::Iota(d, static_cast<uint16_t>(2 * i)), flipped);
    const auto slots = hn::Xor(LoadWideSlots(block, i), hn::IfThenElseZero(is_flipped, keys));
    StorePresence(hn::BitCast(WideWordTag(), slots), WideWordTag(), block + i);
  }
#endif
}

// The updates and the query of one key.
struct InsertWide {
  static HWY_INLINE OneFate Apply(uint32_t key, uint32_t* block) {
    const uint64_t free = EqualWideSlots(block, 0);
    if (HWY_UNLIKELY(HasWideMark(block))) return OneFate::kSpill;
    if (HWY_UNLIKELY(free == 0)) return OneFate::kStop;
    FlipWideSlot(LowestWideSlot(free), key, block);
    return OneFate::kDone;
  }
};

// Whether keys are new is not branched on: in a batch that is as hard to predict as anything.
struct InsertWideIfAbsent {
  static HWY_INLINE OneFate Apply(uint32_t key, uint32_t* block) {
    const bool is_shown = ShowsWide(block, key);
    const bool is_marked = HasWideMark(block);
    // A key that is shown needs no slot.
    const uint64_t free = EqualWideSlots(block, 0) | static_cast<uint64_t>(is_shown);
    if (HWY_UNLIKELY((free == 0) | (is_marked & !is_shown))) {
      return is_marked ? OneFate::kSpill : OneFate::kStop;
    }
    FlipWideSlot(is_shown ? kWideSlots : LowestWideSlot(free), key, block);
    return is_shown ? OneFate::kUnchanged : OneFate::kDone;
  }
};

struct EraseWide {
  static HWY_INLINE OneFate Apply(uint32_t key, uint32_t* block) {
    const uint64_t equal = EqualWideSlots(block, key);
    if (HWY_UNLIKELY(HasWideMark(block))) return OneFate::kSpill;
    if (HWY_UNLIKELY(equal == 0)) return OneFate::kUnchanged;
    FlipWideSlot(LowestWideSlot(equal), key, block);
    return OneFate::kDone;
  }
};

struct QueryWide {
  static HWY_INLINE OneFate Apply(uint32_t key, const uint32_t* block) {
    const OneFate fate = static_cast<OneFate>(!ShowsWide(block, key));
    if (HWY_UNLIKELY(HasWideMark(block)) && fate != OneFate::kDone) return OneFate::kSpill;
    return fate;
  }
  static_assert(static_cast<OneFate>(false) == OneFate::kDone);
  static_assert(static_cast<OneFate>(true) == OneFate::kUnchanged);
};

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
