// The 48 slots of 8 bits of a fingerprint block: compared all at once, and moved to make space for
// one or to close its gap. Masks have one bit per slot, slot 0 the lowest. Included once per
// target.
#if defined(TROMMEL_KERNELS_NARROW_SLOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_NARROW_SLOTS_INL_H_
#undef TROMMEL_KERNELS_NARROW_SLOTS_INL_H_
#else
#define TROMMEL_KERNELS_NARROW_SLOTS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/presence_words.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {

enum class NarrowTest { kEqual, kAtMost };

#if HWY_TARGET == HWY_SCALAR

// Words of 8 slots, and how many there are.
inline constexpr size_t kSlotsPerWord = 8;
inline constexpr size_t kSlotWords = kNarrowSlots / kSlotsPerWord;

// The slots that are equal to `slot`, or at most as great; of the block's first kNumBytes bytes.
template <NarrowTest kTest, size_t kNumBytes = kNarrowSlots>
HWY_INLINE uint64_t NarrowSlotsWhere(const uint32_t* block, uint32_t slot) {
  constexpr uint64_t kBytes = 0x0101010101010101ULL;
  constexpr uint64_t kTopBits = 0x8080808080808080ULL;
  const uint64_t limit = slot * kBytes;
  uint64_t mask = 0;
  for (size_t i = 0; i < kNumBytes / kSlotsPerWord; ++i) {
    const uint64_t slots = LoadPresenceWord64(block + 2 * i);
    const uint64_t differing = slots ^ limit;
    uint64_t hits = 0;  // in the top bit of each byte; no carry leaves a byte
    if constexpr (kTest == NarrowTest::kEqual) {
      hits = ~(((differing & ~kTopBits) + ~kTopBits) | differing);
    } else {
      hits = (~slots & limit) | (~differing & ((limit | kTopBits) - (slots & ~kTopBits)));
    }
    // The product moves the bits of all bytes together into the top byte.
    const uint64_t gathered = ((hits & kTopBits) >> 7) * 0x0102040810204080ULL >> 56;
    mask |= gathered << (i * kSlotsPerWord);
  }
  return mask;
}

// The bytes of word i that are before a slot.
HWY_INLINE uint64_t BytesBefore(size_t slot_idx, size_t i) {
  if (slot_idx >= (i + 1) * kSlotsPerWord) return ~uint64_t{0};
  if (slot_idx <= i * kSlotsPerWord) return 0;
  return (uint64_t{1} << (slot_idx % kSlotsPerWord * 8)) - 1;
}

HWY_INLINE void OpenNarrowSlot(uint32_t* block, size_t slot_idx, uint32_t slot) {
  uint64_t carry = slot;  // the byte that enters the next word
  for (size_t i = slot_idx / kSlotsPerWord; i < kSlotWords; ++i) {
    const uint64_t slots = LoadPresenceWord64(block + 2 * i);
    const uint64_t before = BytesBefore(slot_idx, i);
    const uint64_t moved = (slots & ~before) << 8;
    const uint64_t entering = carry * (before + 1);  // behind the bytes that stay
    carry = slots >> 56;
    StorePresenceWord64((slots & before) | moved | entering, block + 2 * i);
  }
}

HWY_INLINE void CloseNarrowSlot(uint32_t* block, size_t slot_idx) {
  for (size_t i = slot_idx / kSlotsPerWord; i < kSlotWords; ++i) {
    const uint64_t slots = LoadPresenceWord64(block + 2 * i);
    const uint64_t next = i + 1 < kSlotWords ? LoadPresenceWord64(block + 2 * i + 2) : 0;
    const uint64_t before = BytesBefore(slot_idx, i);
    const uint64_t moved = (slots >> 8 | next << 56) & ~before;
    StorePresenceWord64((slots & before) | moved, block + 2 * i);
  }
}

#else  // vectors

// kWords words of 4 slots, at most.
template <size_t kWords>
using WordsOfSlotsTag = hn::CappedTag<uint32_t, kWords>;
template <size_t kWords>
using SlotsTag = hn::Repartition<uint8_t, WordsOfSlotsTag<kWords> >;

// Of a vector, the first word of which is word i of the block.
template <NarrowTest kTest, size_t kWords>
HWY_INLINE uint64_t NarrowSlotsInVector(const uint32_t* block, size_t i,
                                        hn::Vec<SlotsTag<kWords> > limit) {
  const SlotsTag<kWords> d;
  const auto slots = hn::BitCast(d, LoadPresence(WordsOfSlotsTag<kWords>(), block + i));
  const auto hits =
      kTest == NarrowTest::kEqual ? hn::Eq(slots, limit) : hn::Eq(hn::Max(slots, limit), limit);
  // As many bytes are read as are written: others would wait for the store.
  using Bits = std::conditional_t<kWords == 4, uint16_t,
                                  std::conditional_t<kWords == 8, uint32_t, uint64_t> >;
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, hits, bytes);
  Bits bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return uint64_t{bits} << (4 * i);
}

// The slots that are equal to `slot`, or at most as great; of the block's first kNumBytes bytes.
template <NarrowTest kTest, size_t kNumBytes = kNarrowSlots>
HWY_INLINE uint64_t NarrowSlotsWhere(const uint32_t* block, uint32_t slot) {
  static_assert(kNumBytes == 48 || kNumBytes == 64);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const auto limit = hn::Set(SlotsTag<16>(), static_cast<uint8_t>(slot));
  return NarrowSlotsInVector<kTest, 16>(block, 0, limit) & (~uint64_t{0} >> (64 - kNumBytes));
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const auto limit = hn::Set(SlotsTag<8>(), static_cast<uint8_t>(slot));
  const uint64_t first = NarrowSlotsInVector<kTest, 8>(block, 0, limit);
  if constexpr (kNumBytes == 64) return first | NarrowSlotsInVector<kTest, 8>(block, 8, limit);
  return first | NarrowSlotsInVector<kTest, 4>(block, 8, hn::LowerHalf(SlotsTag<4>(), limit));
#else
  const auto limit = hn::Set(SlotsTag<4>(), static_cast<uint8_t>(slot));
  uint64_t mask = NarrowSlotsInVector<kTest, 4>(block, 0, limit) |
                  NarrowSlotsInVector<kTest, 4>(block, 4, limit) |
                  NarrowSlotsInVector<kTest, 4>(block, 8, limit);
  if constexpr (kNumBytes == 64) mask |= NarrowSlotsInVector<kTest, 4>(block, 12, limit);
  return mask;
#endif
}

using NarrowWordTag = WordsOfSlotsTag<4>;
using NarrowSlotTag = SlotsTag<4>;
using NarrowSlots = hn::Vec<NarrowSlotTag>;

HWY_INLINE NarrowSlots LoadNarrowSlots(const uint32_t* block, size_t first) {
  return hn::BitCast(NarrowSlotTag(), LoadPresence(NarrowWordTag(), block + first / 4));
}

HWY_INLINE void StoreNarrowSlots(NarrowSlots slots, uint32_t* block, size_t first) {
  StorePresence(hn::BitCast(NarrowWordTag(), slots), NarrowWordTag(), block + first / 4);
}

// Of a vector whose first slot is `first`: `stay` before the slot, `move` from there on.
HWY_INLINE NarrowSlots MovedFrom(size_t slot_idx, size_t first, NarrowSlots stay,
                                 NarrowSlots move) {
  const hn::Repartition<int8_t, NarrowWordTag> d;
  const auto indices = hn::Iota(d, static_cast<int8_t>(first));
  const auto is_before = hn::Lt(indices, hn::Set(d, static_cast<int8_t>(slot_idx)));
  return hn::IfThenElse(hn::RebindMask(NarrowSlotTag(), is_before), stay, move);
}

// As MovedFrom, with another slot between these two.
HWY_INLINE NarrowSlots OpenedAt(size_t slot_idx, size_t first, NarrowSlots stay, NarrowSlots move,
                                NarrowSlots slot) {
  const NarrowSlotTag d;
  const auto indices = hn::Iota(d, static_cast<uint8_t>(first));
  const auto is_there = hn::Eq(indices, hn::Set(d, static_cast<uint8_t>(slot_idx)));
  return hn::IfThenElse(is_there, slot, MovedFrom(slot_idx, first, stay, move));
}

// The slots from slot_idx on move up by one; the last is lost.
HWY_INLINE void OpenNarrowSlot(uint32_t* block, size_t slot_idx, uint32_t slot) {
  const NarrowSlotTag d;
  const auto slots0 = LoadNarrowSlots(block, 0);
  const auto slots1 = LoadNarrowSlots(block, 16);
  const auto slots2 = LoadNarrowSlots(block, 32);
  const auto added = hn::Set(d, static_cast<uint8_t>(slot));
  const auto up0 = hn::ShiftLeftBytes<1>(d, slots0);
  const auto up1 = hn::CombineShiftRightBytes<15>(d, slots1, slots0);
  const auto up2 = hn::CombineShiftRightBytes<15>(d, slots2, slots1);
  StoreNarrowSlots(OpenedAt(slot_idx, 0, slots0, up0, added), block, 0);
  StoreNarrowSlots(OpenedAt(slot_idx, 16, slots1, up1, added), block, 16);
  StoreNarrowSlots(OpenedAt(slot_idx, 32, slots2, up2, added), block, 32);
}

// The slots behind slot_idx move down by one; the last becomes 0.
HWY_INLINE void CloseNarrowSlot(uint32_t* block, size_t slot_idx) {
  const NarrowSlotTag d;
  const auto slots0 = LoadNarrowSlots(block, 0);
  const auto slots1 = LoadNarrowSlots(block, 16);
  const auto slots2 = LoadNarrowSlots(block, 32);
  const auto down0 = hn::CombineShiftRightBytes<1>(d, slots1, slots0);
  const auto down1 = hn::CombineShiftRightBytes<1>(d, slots2, slots1);
  const auto down2 = hn::ShiftRightBytes<1>(d, slots2);
  StoreNarrowSlots(MovedFrom(slot_idx, 0, slots0, down0), block, 0);
  StoreNarrowSlots(MovedFrom(slot_idx, 16, slots1, down1), block, 16);
  StoreNarrowSlots(MovedFrom(slot_idx, 32, slots2, down2), block, 32);
}

#endif

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
