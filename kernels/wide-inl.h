// Updates and queries of fingerprint blocks with slots of 16 bits (fingerprint_layout.h). Included
// once per target.
//
// All slots of a block are compared with the key, or with 0 for the free ones, at once. The
// result is a mask of slots, of which the lowest bit is taken: that half of the block or vector
// which has the slot is never branched on, because it cannot be predicted.
#if defined(TROMMEL_KERNELS_WIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_WIDE_INL_H_
#undef TROMMEL_KERNELS_WIDE_INL_H_
#else
#define TROMMEL_KERNELS_WIDE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/presence_words.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

// Vectors of one word have no slots of half a word.
inline constexpr size_t kWideMaskBits = 1;

HWY_INLINE uint64_t EqualWideSlots(const uint32_t* block, uint32_t key) {
  uint64_t slots = 0;
  for (size_t i = 0; i < kFingerprintBlockWords; ++i) {
    const uint32_t differing = LoadPresenceWord(block + i) ^ (key | key << 16);
    slots |= static_cast<uint64_t>((differing & 0xffff) == 0) << (2 * i);
    slots |= static_cast<uint64_t>((differing >> 16) == 0) << (2 * i + 1);
  }
  return slots;
}

HWY_INLINE bool ShowsWide(const uint32_t* block, uint32_t key) {
  return EqualWideSlots(block, key) != 0;
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

HWY_INLINE bool ShowsWide(const uint32_t* block, uint32_t key) {
  const WideSlotTag d;
  const auto keys = hn::Set(d, static_cast<uint16_t>(key));
  const size_t step = hn::Lanes(WideWordTag());
  auto equal = hn::Eq(LoadWideSlots(block, 0), keys);
  for (size_t i = step; i < kFingerprintBlockWords; i += step) {
    equal = hn::Or(equal, hn::Eq(LoadWideSlots(block, i), keys));
  }
  return !hn::AllFalse(d, equal);
}

#endif

// IsMarkedWide, beside writers.
HWY_INLINE bool HasWideMark(const uint32_t* block) {
  return (LoadPresenceWord(block + kFingerprintBlockWords - 1) >> 16 & 0xff) == 0xff;
}

// Flips the bits of `key` in the lowest of these slots: a free slot gets the key, a slot of this
// key becomes free. Requires a slot. If not `is_applied`, nothing is stored.
HWY_INLINE void FlipLowestWideSlot(uint64_t slots, uint32_t key, uint32_t* block,
                                   bool is_applied = true) {
  const size_t slot_idx = hwy::Num0BitsBelowLS1Bit_Nonzero64(slots) / kWideMaskBits;
  uint32_t unused = 0;
  uint32_t* word = is_applied ? block + slot_idx / 2 : &unused;
  StorePresenceWord(LoadPresenceWord(word) ^ key << (slot_idx % 2 * 16), word);
}

// The updates and the query of one key.
struct InsertWide {
  static HWY_INLINE OneFate Apply(uint32_t key, uint32_t* block) {
    const uint64_t free = EqualWideSlots(block, 0);
    if (HWY_UNLIKELY(HasWideMark(block))) return OneFate::kSpill;
    if (HWY_UNLIKELY(free == 0)) return OneFate::kStop;
    FlipLowestWideSlot(free, key, block);
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
    FlipLowestWideSlot(free, key, block, !is_shown);
    return is_shown ? OneFate::kUnchanged : OneFate::kDone;
  }
};

struct EraseWide {
  static HWY_INLINE OneFate Apply(uint32_t key, uint32_t* block) {
    const uint64_t equal = EqualWideSlots(block, key);
    if (HWY_UNLIKELY(HasWideMark(block))) return OneFate::kSpill;
    if (HWY_UNLIKELY(equal == 0)) return OneFate::kUnchanged;
    FlipLowestWideSlot(equal, key, block);
    return OneFate::kDone;
  }
};

struct QueryWide {
  static HWY_INLINE OneFate Apply(uint32_t key, const uint32_t* block) {
    const bool is_shown = ShowsWide(block, key);
    const OneFate fate_if_not = HasWideMark(block) ? OneFate::kSpill : OneFate::kUnchanged;
    return is_shown ? OneFate::kDone : fate_if_not;
  }
};

HWY_INLINE uint32_t* WideBlockOf(uint64_t digest, const FingerprintBlocks& blocks) {
  return FingerprintBlockAt(blocks, FingerprintPlaceOf(digest, blocks.num_blocks).block_idx);
}

template <class Operation>
HWY_INLINE OneFate ApplyWide(uint64_t digest, const FingerprintBlocks& blocks) {
  const FingerprintPlace place = FingerprintPlaceOf(digest, blocks.num_blocks);
  return Operation::Apply(WideKey(place.rest, blocks.fingerprint_bits),
                          FingerprintBlockAt(blocks, place.block_idx));
}

// Not inlined, even in batches of updates: a call per key took 3.8 ns per insert where GCC 12's
// inlined loop took 10 (AMD EPYC, AVX2, 300,000 keys).
template <class Operation>
HWY_NOINLINE OneFate ApplyOneWide(uint64_t digest, const FingerprintBlocks& blocks) {
  return ApplyWide<Operation>(digest, blocks);
}

// ForEachKey of words-inl.h. Calls use(i, fate) for each key that is not spilled.
template <class Update, class Use>
HWY_INLINE UpdateProgress UpdateWide(const uint64_t* HWY_RESTRICT digests, const DigestRange& range,
                                     const FingerprintBlocks& blocks_in_memory,
                                     uint32_t* HWY_RESTRICT spilled, const Use& use) {
  const FingerprintBlocks blocks = blocks_in_memory;  // no store changes a copy
  const size_t fetch_end = HWY_MAX(range.end, range.fetch_end);
  const size_t lead = HWY_MIN(fetch_end, range.begin + kUpdateDistance);
  for (size_t i = HWY_MAX(range.begin, range.fetched); i < lead; ++i) {
    hwy::Prefetch(WideBlockOf(digests[i], blocks));
  }
  const size_t end = range.end;
  size_t num_spilled = 0;
  for (size_t i = range.begin; i < end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < fetch_end)) {
      hwy::Prefetch(WideBlockOf(digests[i + kUpdateDistance], blocks));
    }
    const OneFate fate = ApplyOneWide<Update>(digests[i], blocks);
    if (HWY_UNLIKELY(fate >= OneFate::kSpill)) {
      if (fate == OneFate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
      continue;
    }
    use(i, fate);
  }
  return {end, num_spilled};
}

UpdateProgress InsertWideKeys(const uint64_t* digests, const DigestRange& range,
                              const FingerprintBlocks& blocks, uint32_t* spilled) {
  return UpdateWide<InsertWide>(digests, range, blocks, spilled, [](size_t, OneFate) HWY_ATTR {});
}

// Those that set the bit of each key that they changed.
template <class Update>
UpdateProgress UpdateWideKeys(const uint64_t* digests, const DigestRange& range,
                              const FingerprintBlocks& blocks, uint64_t* HWY_RESTRICT changed,
                              uint32_t* spilled) {
  return UpdateWide<Update>(
      digests, range, blocks, spilled, [changed](size_t i, OneFate fate) HWY_ATTR {
        changed[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
      });
}

size_t QueryWideKeys(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                     const FingerprintBlocks& blocks_in_memory, uint64_t* HWY_RESTRICT shown,
                     uint32_t* HWY_RESTRICT unsure) {
  const FingerprintBlocks blocks = blocks_in_memory;
  const size_t lead = HWY_MIN(num_digests, kQueryDistance);
  for (size_t i = 0; i < lead; ++i) hwy::Prefetch(WideBlockOf(digests[i], blocks));
  size_t num_unsure = 0;
  for (size_t first = 0; first < num_digests; first += 64) {
    const size_t end = HWY_MIN(first + 64, num_digests);
    uint64_t word = 0;
    for (size_t i = first; i < end; ++i) {
      // The last digests fetch the last one's line again: no branch.
      hwy::Prefetch(WideBlockOf(digests[HWY_MIN(i + kQueryDistance, num_digests - 1)], blocks));
      const OneFate fate = ApplyWide<QueryWide>(digests[i], blocks);
      word |= static_cast<uint64_t>(fate == OneFate::kDone) << (i - first);
      // Few keys are unsure, so the branch is predicted. Stores whose place depends on the block
      // hold up the loads of later keys: 7 ns per miss instead of 3.2 (AMD EPYC, 1 M keys).
      if (HWY_UNLIKELY(fate == OneFate::kSpill)) unsure[num_unsure++] = static_cast<uint32_t>(i);
    }
    shown[first / 64] = word;
  }
  return num_unsure;
}

}  // namespace

void AddWideFingerprintsForTarget(KernelTable& kernels) {
  kernels.wide_fingerprints = {
      .insert = &InsertWideKeys,
      .insert_if_absent = &UpdateWideKeys<InsertWideIfAbsent>,
      .erase = &UpdateWideKeys<EraseWide>,
      .query = &QueryWideKeys,
      .insert_one = &ApplyOneWide<InsertWide>,
      .insert_if_absent_one = &ApplyOneWide<InsertWideIfAbsent>,
      .erase_one = &ApplyOneWide<EraseWide>,
      .query_one = &ApplyOneWide<QueryWide>,
  };
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
