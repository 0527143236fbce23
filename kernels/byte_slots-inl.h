// Slots of 8 bits, at the beginning of a block: compared all at once, and moved. Masks have one bit
// per byte of the block, the first the lowest. Included once per target.
#if defined(TROMMEL_KERNELS_BYTE_SLOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_BYTE_SLOTS_INL_H_
#undef TROMMEL_KERNELS_BYTE_SLOTS_INL_H_
#else
#define TROMMEL_KERNELS_BYTE_SLOTS_INL_H_
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

#if HWY_TARGET == HWY_SCALAR

// The bytes of a block that are equal to `byte`, one bit each.
HWY_INLINE uint64_t BytesEqual(const uint32_t* block, uint32_t byte) {
  constexpr uint64_t kBytes = 0x0101010101010101ULL;
  constexpr uint64_t kTopBits = 0x8080808080808080ULL;
  uint64_t mask = 0;
  for (size_t i = 0; i < 8; ++i) {
    const uint64_t differing = LoadPresenceWord64(block + 2 * i) ^ byte * kBytes;
    // In the top bit of each byte; no carry leaves a byte.
    const uint64_t hits = ~(((differing & ~kTopBits) + ~kTopBits) | differing);
    // The product moves the bits of all bytes together into the top byte.
    const uint64_t gathered = ((hits & kTopBits) >> 7) * 0x0102040810204080ULL >> 56;
    mask |= gathered << (8 * i);
  }
  return mask;
}

#else  // vectors

// kWords words of 4 slots, at most.
template <size_t kWords>
using WordsOfSlotsTag = hn::CappedTag<uint32_t, kWords>;
template <size_t kWords>
using SlotsTag = hn::Repartition<uint8_t, WordsOfSlotsTag<kWords> >;

// Of a vector, the first word of which is word i of the block.
template <size_t kWords>
HWY_INLINE uint64_t BytesEqualInVector(const uint32_t* block, size_t i,
                                       hn::Vec<SlotsTag<kWords> > wanted) {
  const SlotsTag<kWords> d;
  const auto slots = hn::BitCast(d, LoadPresence(WordsOfSlotsTag<kWords>(), block + i));
  const auto hits = hn::Eq(slots, wanted);
  // As many bytes are read as are written: others would wait for the store.
  using Bits = std::conditional_t<kWords == 4, uint16_t,
                                  std::conditional_t<kWords == 8, uint32_t, uint64_t> >;
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, hits, bytes);
  Bits bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return uint64_t{bits} << (4 * i);
}

// The bytes of a block that are equal to `byte`, one bit each.
HWY_INLINE uint64_t BytesEqual(const uint32_t* block, uint32_t byte) {
  constexpr size_t kWords = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3   ? 16
                            : HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 ? 8
                                                                     : 4;
  const auto wanted = hn::Set(SlotsTag<kWords>(), static_cast<uint8_t>(byte));
  uint64_t mask = 0;
  HWY_UNROLL(4)
  for (size_t i = 0; i < 16; i += kWords) mask |= BytesEqualInVector<kWords>(block, i, wanted);
  return mask;
}

using ByteSlotWordTag = WordsOfSlotsTag<4>;
using ByteSlotTag = SlotsTag<4>;
using ByteSlots = hn::Vec<ByteSlotTag>;

HWY_INLINE ByteSlots LoadByteSlots(const uint32_t* block, size_t first) {
  return hn::BitCast(ByteSlotTag(), LoadPresence(ByteSlotWordTag(), block + first / 4));
}

HWY_INLINE void StoreByteSlots(ByteSlots slots, uint32_t* block, size_t first) {
  StorePresence(hn::BitCast(ByteSlotWordTag(), slots), ByteSlotWordTag(), block + first / 4);
}

#endif

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
