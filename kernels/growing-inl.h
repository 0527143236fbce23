// Updates and queries of growing blocks (growing_layout.h), key by key or in batches. Included once
// per target.
//
// A block's slots are compared with a key as those of 16 bits without lengths are
// (wide_slots-inl.h); only the comparison differs: (slot ^ key) < 2 (slot & -slot).
#if defined(TROMMEL_KERNELS_GROWING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_GROWING_INL_H_
#undef TROMMEL_KERNELS_GROWING_INL_H_
#else
#define TROMMEL_KERNELS_GROWING_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/digest_tables-inl.h"
#include "kernels/group_versions.h"
#include "kernels/growing_layout.h"
#include "kernels/kernels.h"
#include "kernels/wide_slots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// --- One block.

HWY_INLINE bool HasGrowingMark(const uint32_t* block) { return IsMarkedBesideUpdates(block); }

#if HWY_TARGET == HWY_SCALAR

// The slots that match the key: kWideMaskBits bits per slot.
HWY_INLINE uint64_t MatchingSlots(const uint32_t* block, uint32_t key) {
  uint64_t slots = 0;
  for (size_t i = 0; i < kFingerprintBlockWords; ++i) {
    const uint32_t word = LoadPresenceWord(block + i);
    slots |= static_cast<uint64_t>(IsMatch(word & 0xffff, key)) << (2 * i);
    slots |= static_cast<uint64_t>(IsMatch(word >> 16, key)) << (2 * i + 1);
  }
  return slots;
}

HWY_INLINE bool ShowsGrowing(const uint32_t* block, uint32_t pair) {
  return MatchingSlots(block, pair & 0xffff) != 0;
}

#else

// Not 0 in slots that match.
HWY_INLINE hn::Vec<WideSlotTag> MatchOf(hn::Vec<WideSlotTag> slots, hn::Vec<WideSlotTag> last_ones,
                                        hn::Vec<WideSlotTag> keys) {
  return hn::SaturatedSub(hn::Add(last_ones, last_ones), hn::Xor(slots, keys));
}

HWY_INLINE hn::Vec<WideSlotTag> LastOnes(hn::Vec<WideSlotTag> slots) {
  return hn::And(slots, hn::Sub(hn::Zero(WideSlotTag()), slots));
}

HWY_INLINE uint64_t MatchingSlots(const uint32_t* block, uint32_t key) {
  const WideSlotTag d;
  const auto keys = hn::Set(d, static_cast<uint16_t>(key));
  const size_t step = hn::Lanes(WideWordTag());
  uint64_t matches = 0;
  for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
    const auto slots = LoadWideSlots(block, i);
    const auto is_match = hn::Ne(MatchOf(slots, LastOnes(slots), keys), hn::Zero(d));
    matches |= WideMaskBitsOf(is_match) << (i * 2 * kWideMaskBits);
  }
  return matches;
}

HWY_INLINE bool ShowsGrowing(const uint32_t* block, uint32_t pair) {
  const WideSlotTag d;
  const auto keys = hn::BitCast(d, hn::Set(WideWordTag(), pair));
  const size_t step = hn::Lanes(WideWordTag());
  auto shown = hn::Zero(d);
  for (size_t i = 0; i < kFingerprintBlockWords; i += step) {
    const auto slots = LoadWideSlots(block, i);
    shown = hn::Or(shown, MatchOf(slots, LastOnes(slots), keys));
  }
  return !hn::AllTrue(d, hn::Eq(shown, hn::Zero(d)));
}

#endif

// The updates of one key. kStop: the block alone cannot tell what is to be done.
struct InsertGrowing {
  static HWY_INLINE OneFate Apply(const GrowingPlace& place, uint32_t* block) {
    const uint64_t free = EqualWideSlots(block, 0);
    if (HWY_UNLIKELY(HasGrowingMark(block) | (free == 0))) return OneFate::kStop;
    // A copy, or a key that is counted as one.
    if (HWY_UNLIKELY(ShowsGrowing(block, WidePair(place.key)))) return OneFate::kStop;
    FlipWideSlot(LowestWideSlot(free), NewCode(place.key), block);
    return OneFate::kDone;
  }
};

struct InsertGrowingIfAbsent {
  static HWY_INLINE OneFate Apply(const GrowingPlace& place, uint32_t* block) {
    const bool is_shown = ShowsGrowing(block, WidePair(place.key));
    // A key that is shown needs no slot.
    const uint64_t free = EqualWideSlots(block, 0) | static_cast<uint64_t>(is_shown);
    if (HWY_UNLIKELY((free == 0) | (HasGrowingMark(block) & !is_shown))) return OneFate::kStop;
    FlipWideSlot(is_shown ? kWideSlots : LowestWideSlot(free), NewCode(place.key), block);
    return is_shown ? OneFate::kUnchanged : OneFate::kDone;
  }
};

struct EraseGrowing {
  static HWY_INLINE OneFate Apply(const GrowingPlace& place, uint32_t* block) {
    const uint64_t matches = MatchingSlots(block, place.key);
    if (HWY_UNLIKELY(HasGrowingMark(block))) return OneFate::kStop;
    if (HWY_UNLIKELY(matches == 0)) return OneFate::kUnchanged;
    if (HWY_UNLIKELY(IsCountedPlace(place))) return OneFate::kStop;
    const size_t slot_idx = LowestWideSlot(matches);
    const uint32_t code = LoadPresenceWord(block + slot_idx / 2) >> (slot_idx % 2 * 16) & 0xffff;
    FlipWideSlot(slot_idx, code, block);
    return OneFate::kDone;
  }
};

// --- Batches.

HWY_INLINE uint32_t* GrowingBlockAt(uint64_t address) {
  return reinterpret_cast<uint32_t*>(static_cast<uintptr_t>(address));
}

HWY_INLINE void PrefetchGrowing(uint64_t digest, uint64_t root) {
  hwy::Prefetch(GrowingBlockAt(PlaceInSegment(digest, LoadSegmentWord(root, digest)).block));
}

template <class Update>
HWY_NOINLINE OneFate UpdateOneGrowing(uint64_t digest, uint64_t word) {
  const GrowingPlace place = PlaceInSegment(digest, word);
  const FingerprintBlocks version{
      .words = nullptr,
      .num_blocks = 0,
      .fingerprint_bits = 0,
      .versions = reinterpret_cast<uint64_t*>(static_cast<uintptr_t>(place.version))};
  const GroupChange change(version, 0);
  return Update::Apply(place, GrowingBlockAt(place.block));
}

template <class Update, class Use>
HWY_INLINE GrowingProgress UpdateGrowing(const uint64_t* HWY_RESTRICT digests,
                                         const DigestRange& range, const GrowingBlocks& blocks,
                                         const Use& use) {
  const uint64_t root = LoadRoot(blocks);
  const size_t fetch_end = HWY_MAX(range.end, range.fetch_end);
  const size_t lead = HWY_MIN(fetch_end, range.begin + kUpdateDistance);
  for (size_t i = HWY_MAX(range.begin, range.fetched); i < lead; ++i) {
    PrefetchGrowing(digests[i], root);
  }
  const size_t end = range.end;
  size_t num_changed = 0;
  for (size_t i = range.begin; i < end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < fetch_end)) {
      PrefetchGrowing(digests[i + kUpdateDistance], root);
    }
    const OneFate fate = UpdateOneGrowing<Update>(digests[i], LoadSegmentWord(root, digests[i]));
    if (HWY_UNLIKELY(fate == OneFate::kStop)) return {i, num_changed};
    num_changed += static_cast<size_t>(fate == OneFate::kDone);
    use(i, fate);
  }
  return {end, num_changed};
}

GrowingProgress InsertGrowingKeys(const uint64_t* digests, const DigestRange& range,
                                  const GrowingBlocks& blocks, uint64_t* /*inserted*/) {
  return UpdateGrowing<InsertGrowing>(digests, range, blocks, [](size_t, OneFate) HWY_ATTR {});
}

// Those that set the bit of each key that they changed.
template <class Update>
GrowingProgress UpdateGrowingKeys(const uint64_t* digests, const DigestRange& range,
                                  const GrowingBlocks& blocks, uint64_t* HWY_RESTRICT changed) {
  return UpdateGrowing<Update>(digests, range, blocks, [changed](size_t i, OneFate fate) HWY_ATTR {
    changed[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
  });
}

// The places of kSize digests, each found once, when its block is prefetched.
template <template <size_t> class Reads>
struct GrowingPlaces {
  static constexpr size_t kSize = 8;

  // The words of their segments: loaded some time before Fetch, which reads them as vectors.
  static HWY_INLINE void LoadWords(const uint64_t* HWY_RESTRICT digests, uint64_t root,
                                   uint64_t* HWY_RESTRICT words) {
    HWY_UNROLL(8)
    for (size_t j = 0; j < kSize; ++j) words[j] = LoadSegmentWord(root, digests[j]);
  }

  // As PlaceInSegment, and prefetches the blocks.
  HWY_INLINE void Fetch(const uint64_t* HWY_RESTRICT digests, const uint64_t* HWY_RESTRICT words) {
    const hn::CappedTag<uint64_t, kSize> d;
    constexpr int kCodeShift = static_cast<int>(kGrowingShardBits);
    const auto one = hn::Set(d, uint64_t{1});
    for (size_t j = 0; j < kSize; j += hn::Lanes(d)) {
      const auto digest = hn::LoadU(d, digests + j);
      const auto word = hn::LoadU(d, words + j);
      const auto known = hn::And(word, hn::Set(d, uint64_t{63}));
      const auto rotated =
          hn::Or(hn::Shl(digest, known), hn::Shr(digest, hn::Sub(hn::Set(d, uint64_t{64}), known)));
      const auto code = hn::And(hn::ShiftRight<kCodeShift>(word), hn::Set(d, uint64_t{7}));
      const auto num_blocks = hn::Shl(hn::Set(d, uint64_t{1} << kMinSegmentBits), code);
      const auto block_idx = hn::And(rotated, hn::Sub(num_blocks, one));
      const auto address = hn::AndNot(hn::Set(d, uint64_t{kSegmentAlignment - 1}), word);
      hn::StoreU(hn::Add(address, hn::ShiftLeft<6>(block_idx)), d, addresses + j);
      if constexpr (Reads<kSize>::kHasVersions) {
        const auto group = hn::Add(hn::ShiftRight<6>(block_idx), one);
        hn::StoreU(hn::Sub(address, hn::ShiftLeft<4>(group)), d, reads.addresses + j);
      }
      const auto key = hn::ShiftLeft<1>(hn::ShiftRight<49>(rotated));
      hn::StoreU(hn::Or(key, hn::ShiftLeft<16>(key)), d, pairs + j);
    }
    HWY_UNROLL(8)
    for (size_t j = 0; j < kSize; ++j) {
      hwy::Prefetch(GrowingBlockAt(addresses[j]));
      if constexpr (Reads<kSize>::kHasVersions) {
        hwy::Prefetch(
            reinterpret_cast<const uint64_t*>(static_cast<uintptr_t>(reads.addresses[j])));
      }
    }
  }

  uint64_t addresses[kSize];
  uint64_t pairs[kSize];  // WidePair
  Reads<kSize> reads;
};

// One key: its bit is set if it is shown; kSpill if it is unsure.
HWY_INLINE OneFate QueryGrowingKey(uint64_t digest, const GrowingBlocks& blocks) {
  const GrowingPlace place = PlaceInSegment(digest, LoadSegmentWord(LoadRoot(blocks), digest));
  const uint32_t* block = GrowingBlockAt(place.block);
  GroupReads<1> reads;
  reads.addresses[0] = place.version;
  reads.Begin(0, 1);
  if (ShowsGrowing(block, WidePair(place.key))) return OneFate::kDone;
  if (HWY_UNLIKELY(HasGrowingMark(block))) return OneFate::kSpill;
  return reads.Changed(0, 1) != 0 ? OneFate::kSpill : OneFate::kUnchanged;
}

HWY_NOINLINE OneFate QueryOneGrowing(uint64_t digest, const GrowingBlocks& blocks) {
  return QueryGrowingKey(digest, blocks);
}

bool ShowsGrowingKey(const uint32_t* block, uint32_t key) {
  return ShowsGrowing(block, WidePair(key));
}

// As QueryWideKeys: whether keys are shown is not branched on.
template <template <size_t> class Reads>
size_t QueryGrowingKeys(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                        const GrowingBlocks& blocks, uint64_t* HWY_RESTRICT shown,
                        uint32_t* HWY_RESTRICT unsure) {
  constexpr size_t kGroup = GrowingPlaces<Reads>::kSize;
  constexpr size_t kGroups = kQueryDistance / kGroup;
  constexpr uint64_t kAllShown = (uint64_t{1} << kGroup) - 1;
  static_assert(std::has_single_bit(kGroups) && 64 % kGroup == 0);
  const uint64_t root = LoadRoot(blocks);
  GrowingPlaces<Reads> ring[kGroups];
  uint64_t words[2][kGroup];  // of the group that is fetched next, and of the one after
  const size_t grouped = num_digests - num_digests % kGroup;
  const size_t lead = HWY_MIN(grouped, kQueryDistance);
  for (size_t i = 0; i < lead; i += kGroup) {
    GrowingPlaces<Reads>::LoadWords(digests + i, root, words[0]);
    ring[i / kGroup].Fetch(digests + i, words[0]);
  }
  if (lead < grouped) GrowingPlaces<Reads>::LoadWords(digests + lead, root, words[0]);
  size_t num_unsure = 0;
  uint64_t word = 0;  // answers of the current 64 keys, the first in the lowest bit
  for (size_t i = 0; i < grouped; i += kGroup) {
    GrowingPlaces<Reads>& places = ring[i / kGroup % kGroups];
    places.reads.Begin(0, kGroup);
    uint64_t answers = 0;
    uint64_t marked = 0;
    HWY_UNROLL(8)
    for (size_t j = 0; j < kGroup; ++j) {
      const uint32_t* block = GrowingBlockAt(places.addresses[j]);
      answers |= static_cast<uint64_t>(ShowsGrowing(block, static_cast<uint32_t>(places.pairs[j])))
                 << j;
      marked |= static_cast<uint64_t>(HasGrowingMark(block)) << j;
    }
    if (answers != kAllShown) {
      uint64_t left = (places.reads.Changed(0, kGroup) | marked) & ~answers;
      for (; HWY_UNLIKELY(left != 0); left &= left - 1) {
        const size_t j = hwy::Num0BitsBelowLS1Bit_Nonzero64(left);
        unsure[num_unsure++] = static_cast<uint32_t>(i + j);
      }
    }
    word |= answers << (i % 64);
    if (i % 64 == 64 - kGroup) {
      shown[i / 64] = word;
      word = 0;
    }
    const size_t next = i + kQueryDistance;
    if (HWY_LIKELY(next + kGroup < grouped)) {
      GrowingPlaces<Reads>::LoadWords(digests + next + kGroup, root, words[(i / kGroup + 1) % 2]);
    }
    if (HWY_LIKELY(next < grouped)) places.Fetch(digests + next, words[i / kGroup % 2]);
  }
  for (size_t i = grouped; i < num_digests; ++i) {
    const OneFate fate = QueryGrowingKey(digests[i], blocks);
    word |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
    if (HWY_UNLIKELY(fate == OneFate::kSpill)) unsure[num_unsure++] = static_cast<uint32_t>(i);
  }
  if (num_digests % 64 != 0) shown[num_digests / 64] = word;
  return num_unsure;
}

void FetchGrowingKeys(const uint64_t* digests, size_t num_digests, const GrowingBlocks& blocks) {
  const uint64_t root = LoadRoot(blocks);
  for (size_t i = 0; i < num_digests; ++i) PrefetchGrowing(digests[i], root);
}

}  // namespace

void AddGrowingForTarget(KernelTable& kernels) {
  kernels.growing = {
      .insert = &InsertGrowingKeys,
      .insert_if_absent = &UpdateGrowingKeys<InsertGrowingIfAbsent>,
      .erase = &UpdateGrowingKeys<EraseGrowing>,
      .query = &QueryGrowingKeys<GroupReads>,
      .query_at_once = &QueryGrowingKeys<NoGroupReads>,
      .query_tables_at_once = &QueryDigestTables,
      .fetch = &FetchGrowingKeys,
      .insert_one = &UpdateOneGrowing<InsertGrowing>,
      .insert_if_absent_one = &UpdateOneGrowing<InsertGrowingIfAbsent>,
      .erase_one = &UpdateOneGrowing<EraseGrowing>,
      .query_one = &QueryOneGrowing,
      .shows = &ShowsGrowingKey,
  };
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
