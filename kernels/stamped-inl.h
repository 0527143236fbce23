// Updates and queries of stamped blocks (stamped_layout.h), key by key or in batches. Included once
// per target.
#if defined(TROMMEL_KERNELS_STAMPED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_STAMPED_INL_H_
#undef TROMMEL_KERNELS_STAMPED_INL_H_
#else
#define TROMMEL_KERNELS_STAMPED_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/stamped_layout.h"
#include "kernels/stamped_slots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// Where a digest belongs.
struct StampedPlace {
  uint32_t* block;
  StampedGroup* group;
  uint32_t fingerprint;
  uint32_t block_in_group;
};

template <class Slots>
HWY_INLINE StampedPlace StampedPlaceOf(uint64_t digest, const StampedBlocks& blocks) {
  const FingerprintPlace place = FingerprintPlaceOf(digest, blocks.num_blocks);
  return {blocks.words + place.block_idx * kFingerprintBlockWords,
          blocks.groups + place.block_idx / kGroupBlocks,
          StampedFingerprint(place.rest, Slots::kShape.fingerprint_bits),
          static_cast<uint32_t>(place.block_idx % kGroupBlocks)};
}

HWY_INLINE void FetchStamped(uint64_t digest, const StampedBlocks& blocks) {
  const FingerprintPlace place = FingerprintPlaceOf(digest, blocks.num_blocks);
  hwy::Prefetch(blocks.words + place.block_idx * kFingerprintBlockWords);
  hwy::Prefetch(blocks.groups + place.block_idx / kGroupBlocks);
}

HWY_INLINE bool HasBit(uint64_t word, uint32_t bit) { return (word >> bit & 1) != 0; }

// The moment of a call as stamps of a group.
struct StampedMoment {
  HWY_INLINE StampedMoment(const StampedBlocks& blocks, const StampedGroup& group)
      : stamp(blocks.bucket - group.first_bucket),
        live(StampAfter(blocks.first_live, group.first_bucket)),
        kept(StampAfter(blocks.first_kept, group.first_bucket)) {}

  uint64_t stamp;
  uint64_t live;
  uint64_t kept;
};

// Puts a fingerprint that the block does not show into a slot.
template <class Slots>
HWY_INLINE OneFate FillStamped(const StampedPlace& place, const StampedMoment& moment) {
  const size_t slot_idx = Slots::UsableSlot(place.block, moment.kept);
  if (HWY_UNLIKELY(slot_idx == Slots::kShape.num_slots)) return OneFate::kStop;
  Slots::Store({place.fingerprint, static_cast<uint32_t>(moment.stamp)}, slot_idx, place.block);
  return OneFate::kDone;
}

// The updates of one key, within a change of its group. A block with keys elsewhere spills all that
// its slots do not decide.
//
// kRefresh: a fingerprint that is in gets the later of the two buckets. Otherwise it has a further
// copy, which is for the caller to keep.
template <bool kRefresh>
struct InsertStamped {
  template <class Slots>
  static HWY_INLINE OneFate Apply(const StampedPlace& place, const StampedMoment& moment) {
    if (HWY_UNLIKELY(HasBit(place.group->overflow, place.block_in_group))) return OneFate::kSpill;
    if (HWY_UNLIKELY(moment.stamp > Slots::kShape.max_stamp)) return OneFate::kSpill;
    const uint64_t equal = Slots::Equal(place.block, place.fingerprint);
    if (equal == 0) return FillStamped<Slots>(place, moment);
    const size_t slot_idx = LowestWideSlot(equal);
    const uint32_t old_stamp = Slots::StampAt(place.block, slot_idx);
    if (old_stamp >= moment.kept) {
      if (!kRefresh) return OneFate::kSpill;
      if (old_stamp >= moment.stamp) return OneFate::kDone;  // never back to an earlier bucket
    }
    Slots::Store({place.fingerprint, static_cast<uint32_t>(moment.stamp)}, slot_idx, place.block);
    return OneFate::kDone;
  }
};

struct InsertStampedIfAbsent {
  template <class Slots>
  static HWY_INLINE OneFate Apply(const StampedPlace& place, const StampedMoment& moment) {
    if (Slots::Shows(place.block, place.fingerprint, moment.live)) return OneFate::kUnchanged;
    if (HWY_UNLIKELY(HasBit(place.group->overflow, place.block_in_group))) return OneFate::kSpill;
    if (HWY_UNLIKELY(moment.stamp > Slots::kShape.max_stamp)) return OneFate::kSpill;
    const uint64_t equal = Slots::Equal(place.block, place.fingerprint);
    if (equal == 0) return FillStamped<Slots>(place, moment);
    const size_t slot_idx = LowestWideSlot(equal);
    // Another call may still have the bucket among its live ones.
    if (Slots::StampAt(place.block, slot_idx) >= moment.kept) return OneFate::kSpill;
    Slots::Store({place.fingerprint, static_cast<uint32_t>(moment.stamp)}, slot_idx, place.block);
    return OneFate::kDone;
  }
};

struct EraseStamped {
  template <class Slots>
  static HWY_INLINE OneFate Apply(const StampedPlace& place, const StampedMoment& moment) {
    const uint64_t elsewhere = place.group->overflow | place.group->copied;
    if (HWY_UNLIKELY(HasBit(elsewhere, place.block_in_group))) return OneFate::kSpill;
    const uint64_t equal = Slots::Equal(place.block, place.fingerprint);
    if (HWY_UNLIKELY(equal == 0)) return OneFate::kUnchanged;
    const size_t slot_idx = LowestWideSlot(equal);
    if (Slots::StampAt(place.block, slot_idx) != moment.stamp) return OneFate::kUnchanged;
    Slots::Store({}, slot_idx, place.block);
    return OneFate::kDone;
  }
};

template <class Slots, class Update>
HWY_NOINLINE OneFate UpdateOneStamped(uint64_t digest, const StampedBlocks& blocks) {
  const StampedPlace place = StampedPlaceOf<Slots>(digest, blocks);
  const GroupChange change(&place.group->version);
  return Update::template Apply<Slots>(place, StampedMoment(blocks, *place.group));
}

// ForEachKey of update-inl.h. Calls use(i, fate) for each key that is not spilled.
template <class Slots, class Update, class Use>
HWY_INLINE UpdateProgress UpdateStamped(const uint64_t* HWY_RESTRICT digests,
                                        const DigestRange& range,
                                        const StampedBlocks& blocks_in_memory,
                                        uint32_t* HWY_RESTRICT spilled, const Use& use) {
  const StampedBlocks blocks = blocks_in_memory;  // no store changes a copy
  const size_t fetch_end = HWY_MAX(range.end, range.fetch_end);
  const size_t lead = HWY_MIN(fetch_end, range.begin + kUpdateDistance);
  for (size_t i = HWY_MAX(range.begin, range.fetched); i < lead; ++i) {
    FetchStamped(digests[i], blocks);
  }
  size_t num_spilled = 0;
  for (size_t i = range.begin; i < range.end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < fetch_end)) {
      FetchStamped(digests[i + kUpdateDistance], blocks);
    }
    const OneFate fate = UpdateOneStamped<Slots, Update>(digests[i], blocks);
    if (HWY_UNLIKELY(fate >= OneFate::kSpill)) {
      if (fate == OneFate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
      continue;
    }
    use(i, fate);
  }
  return {range.end, num_spilled};
}

template <class Slots, bool kRefresh>
UpdateProgress InsertStampedKeys(const uint64_t* digests, const DigestRange& range,
                                 const StampedBlocks& blocks, uint32_t* spilled) {
  return UpdateStamped<Slots, InsertStamped<kRefresh>>(digests, range, blocks, spilled,
                                                       [](size_t, OneFate) HWY_ATTR {});
}

// Those that set the bit of each key that they changed.
template <class Slots, class Update>
UpdateProgress UpdateStampedKeys(const uint64_t* digests, const DigestRange& range,
                                 const StampedBlocks& blocks, uint64_t* HWY_RESTRICT changed,
                                 uint32_t* spilled) {
  return UpdateStamped<Slots, Update>(
      digests, range, blocks, spilled, [changed](size_t i, OneFate fate) HWY_ATTR {
        changed[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
      });
}

// --- Queries.

// The places of several digests, and what was read of their groups. Places as in
// wide_places-inl.h: with fewer than 2^32 blocks
//
//   digest       | high | low |
//   t =  high x num_blocks + (low x num_blocks >> 32)       | block index (32) | fingerprint | .. |
template <class Slots, bool kWithVersions>
struct StampedReads {
  static constexpr size_t kSize = 8;
  static constexpr int kBits = static_cast<int>(Slots::kShape.fingerprint_bits);
  static constexpr int kGroupShift = std::countr_zero(kGroupBlocks);
  static constexpr int kBlockShift = std::countr_zero(kFingerprintBlockWords * sizeof(uint32_t));
  static constexpr int kStateShift = std::countr_zero(sizeof(StampedGroup));

  HWY_INLINE void Fetch(const uint64_t* HWY_RESTRICT digests, const StampedBlocks& blocks) {
    const uint64_t first_block = reinterpret_cast<uintptr_t>(blocks.words);
    const uint64_t first_group = reinterpret_cast<uintptr_t>(blocks.groups);
#if HWY_TARGET == HWY_SCALAR
    for (size_t j = 0; j < kSize; ++j) {
      const FingerprintPlace place = FingerprintPlaceOf(digests[j], blocks.num_blocks);
      offsets[j] = place.block_idx << kBlockShift;
      groups[j] = first_group + (place.block_idx >> kGroupShift << kStateShift);
      const uint32_t fingerprint = StampedFingerprint(place.rest, Slots::kShape.fingerprint_bits);
      const hn::CappedTag<uint64_t, 1> d;
      wanted[j] = hn::GetLane(Slots::WantedOf(d, hn::Set(d, uint64_t{fingerprint})));
    }
#else
    const hn::CappedTag<uint64_t, kSize> d;
    const hn::Repartition<uint32_t, decltype(d)> d32;
    const auto num_blocks = hn::BitCast(d32, hn::Set(d, blocks.num_blocks));
    const auto one = hn::BitCast(d32, hn::Set(d, uint64_t{1}));
    for (size_t j = 0; j < kSize; j += hn::Lanes(d)) {
      const auto digest = hn::LoadU(d, digests + j);
      const auto low = hn::MulEven(hn::BitCast(d32, digest), num_blocks);
      const auto high = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(digest)), num_blocks);
      const auto place = hn::Add(high, hn::ShiftRight<32>(low));
      const auto block_idx = hn::ShiftRight<32>(place);
      hn::Store(hn::ShiftLeft<kBlockShift>(block_idx), d, offsets + j);
      const auto group = hn::ShiftLeft<kStateShift>(hn::ShiftRight<kGroupShift>(block_idx));
      hn::Store(hn::Add(hn::Set(d, first_group), group), d, groups + j);
      // The upper half of each lane is 0.
      const auto fingerprint = hn::ShiftRight<64 - kBits>(hn::ShiftLeft<32>(place));
      const auto not_zero = hn::Max(hn::BitCast(d32, fingerprint), one);
      hn::Store(Slots::WantedOf(d, hn::BitCast(d, not_zero)), d, wanted + j);
    }
#endif
    HWY_UNROLL(8)
    for (size_t j = 0; j < kSize; ++j) {
      hwy::Prefetch(reinterpret_cast<const uint32_t*>(static_cast<uintptr_t>(first_block) +
                                                      static_cast<uintptr_t>(offsets[j])));
      hwy::Prefetch(&GroupAt(j));
    }
  }

  HWY_INLINE const StampedGroup& GroupAt(size_t j) const {
    return *reinterpret_cast<const StampedGroup*>(static_cast<uintptr_t>(groups[j]));
  }
  HWY_INLINE const uint32_t* BlockAt(size_t j, const StampedBlocks& blocks) const {
    return reinterpret_cast<const uint32_t*>(reinterpret_cast<uintptr_t>(blocks.words) +
                                             static_cast<uintptr_t>(offsets[j]));
  }

  // Which queries' blocks show their fingerprints, read after their versions.
  HWY_INLINE uint64_t Shown(const StampedBlocks& blocks) {
    uint64_t shown = 0;
    HWY_UNROLL(8)
    for (size_t j = 0; j < kSize; ++j) {
      const StampedGroup& group = GroupAt(j);
      if constexpr (kWithVersions) versions[j] = __atomic_load_n(&group.version, __ATOMIC_ACQUIRE);
      const uint64_t live = StampAfter(blocks.first_live, LoadGroupWord(group.first_bucket));
      const bool is_shown =
          Slots::ShowsWanted(BlockAt(j, blocks), static_cast<uint32_t>(wanted[j]), live);
      shown |= static_cast<uint64_t>(is_shown) << j;
    }
    return shown;
  }

  // Bit j is set if query j's block has keys that it does not show, or if what query j has read may
  // be of different moments (GroupReads::Changed).
  HWY_INLINE uint64_t Unsure() const {
    uint64_t unsure = 0;
    HWY_UNROLL(8)
    for (size_t j = 0; j < kSize; ++j) {
      const uint64_t overflow = LoadGroupWord(GroupAt(j).overflow);
      unsure |= (overflow >> (offsets[j] >> kBlockShift) % kGroupBlocks & 1) << j;
    }
    if constexpr (!kWithVersions) return unsure;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint64_t difference = 0;
    HWY_UNROLL(8)
    for (size_t j = 0; j < kSize; ++j) difference |= DifferenceOf(j);
    if (difference == 0) [[likely]]
      return unsure;
    for (size_t j = 0; j < kSize; ++j) {
      unsure |= static_cast<uint64_t>(DifferenceOf(j) != 0) << j;  // it never becomes 0 again
    }
    return unsure;
  }

  // Not 0 if the version was odd or is another one now.
  HWY_INLINE uint64_t DifferenceOf(size_t j) const {
    const uint64_t after = LoadGroupWord(GroupAt(j).version);
    return (after ^ versions[j]) | (after & 1);
  }

  HWY_ALIGN uint64_t offsets[kSize];  // of blocks, in bytes
  HWY_ALIGN uint64_t groups[kSize];   // addresses
  HWY_ALIGN uint64_t wanted[kSize];   // Slots::WantedOf
  HWY_ALIGN uint64_t versions[kSize];
};

template <class Slots>
HWY_INLINE OneFate QueryStampedKey(uint64_t digest, const StampedBlocks& blocks) {
  const StampedPlace place = StampedPlaceOf<Slots>(digest, blocks);
  const uint64_t before = __atomic_load_n(&place.group->version, __ATOMIC_ACQUIRE);
  const uint64_t live = StampAfter(blocks.first_live, LoadGroupWord(place.group->first_bucket));
  if (Slots::Shows(place.block, place.fingerprint, live)) return OneFate::kDone;
  if (HasBit(LoadGroupWord(place.group->overflow), place.block_in_group)) return OneFate::kSpill;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  const uint64_t after = LoadGroupWord(place.group->version);
  return before == after && after % 2 == 0 ? OneFate::kUnchanged : OneFate::kSpill;
}

template <class Slots>
HWY_NOINLINE OneFate QueryOneStamped(uint64_t digest, const StampedBlocks& blocks) {
  return QueryStampedKey<Slots>(digest, blocks);
}

// Few blocks have keys elsewhere, and few groups change meanwhile, so branches on that are
// predicted. Whether keys are shown is not branched on.
template <class Slots, bool kWithVersions>
size_t QueryStampedKeys(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                        const StampedBlocks& blocks_in_memory, uint64_t* HWY_RESTRICT shown,
                        uint32_t* HWY_RESTRICT unsure) {
  using Reads = StampedReads<Slots, kWithVersions>;
  constexpr size_t kGroup = Reads::kSize;
  constexpr size_t kGroups = kQueryDistance / kGroup;
  constexpr uint64_t kAllShown = (uint64_t{1} << kGroup) - 1;
  static_assert(std::has_single_bit(kGroups) && 64 % kGroup == 0);
  const StampedBlocks blocks = blocks_in_memory;
  Reads ring[kGroups];
  const size_t grouped = num_digests - num_digests % kGroup;
  const size_t lead = HWY_MIN(grouped, kQueryDistance);
  for (size_t i = 0; i < lead; i += kGroup) ring[i / kGroup].Fetch(digests + i, blocks);
  size_t num_unsure = 0;
  uint64_t word = 0;  // answers of the current 64 keys, the first in the lowest bit
  for (size_t i = 0; i < grouped; i += kGroup) {
    Reads& reads = ring[i / kGroup % kGroups];
    const uint64_t answers = reads.Shown(blocks);
    if (answers != kAllShown) {
      uint64_t left = reads.Unsure() & ~answers;
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
    if (HWY_LIKELY(next < grouped)) reads.Fetch(digests + next, blocks);
  }
  for (size_t i = grouped; i < num_digests; ++i) {
    const OneFate fate = QueryStampedKey<Slots>(digests[i], blocks);
    word |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
    if (HWY_UNLIKELY(fate == OneFate::kSpill)) unsure[num_unsure++] = static_cast<uint32_t>(i);
  }
  if (num_digests % 64 != 0) shown[num_digests / 64] = word;
  return num_unsure;
}

// --- Sweeps.

template <class Slots>
void SweepStamped(uint32_t* words, uint64_t num_blocks, uint64_t shift) {
  for (uint64_t b = 0; b < num_blocks; ++b) {
    Slots::Sweep(words + b * kFingerprintBlockWords, shift);
  }
}

template <class Slots>
constexpr StampedKernels StampedKernelsOf() {
  return {
      .insert = &InsertStampedKeys<Slots, false>,
      .refresh = &InsertStampedKeys<Slots, true>,
      .insert_if_absent = &UpdateStampedKeys<Slots, InsertStampedIfAbsent>,
      .erase = &UpdateStampedKeys<Slots, EraseStamped>,
      .query = &QueryStampedKeys<Slots, true>,
      .query_at_once = &QueryStampedKeys<Slots, false>,
      .sweep = &SweepStamped<Slots>,
      .insert_one = &UpdateOneStamped<Slots, InsertStamped<false>>,
      .refresh_one = &UpdateOneStamped<Slots, InsertStamped<true>>,
      .insert_if_absent_one = &UpdateOneStamped<Slots, InsertStampedIfAbsent>,
      .erase_one = &UpdateOneStamped<Slots, EraseStamped>,
      .query_one = &QueryOneStamped<Slots>,
  };
}

}  // namespace

void AddStampedForTarget(KernelTable& kernels) {
  kernels.stamped16 = StampedKernelsOf<Stamped16>();
  kernels.stamped24 = StampedKernelsOf<Stamped24>();
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
