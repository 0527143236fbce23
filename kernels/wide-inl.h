// Updates and queries of fingerprint blocks with slots of 16 bits (fingerprint_layout.h), key by
// key or in batches. Included once per target.
#if defined(TROMMEL_KERNELS_WIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_WIDE_INL_H_
#undef TROMMEL_KERNELS_WIDE_INL_H_
#else
#define TROMMEL_KERNELS_WIDE_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/wide_places-inl.h"
#include "kernels/wide_slots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE uint32_t* WideBlockOf(uint64_t digest, const FingerprintBlocks& blocks) {
  return FingerprintBlockAt(blocks, FingerprintPlaceOf(digest, blocks.num_blocks).block_idx);
}

// Not inlined, even in batches: a call per key took 3.8 ns per insert where GCC 12's inlined loop
// took 10 (AMD EPYC, AVX2, 300,000 keys).
template <class Update, class Change>
HWY_NOINLINE OneFate UpdateOneWide(uint64_t digest, const void* of_filter) {
  const auto& blocks = *static_cast<const FingerprintBlocks*>(of_filter);
  const FingerprintPlace place = FingerprintPlaceOf(digest, blocks.num_blocks);
  [[maybe_unused]] const Change change(blocks, VersionOf(digest, place.block_idx, blocks));
  return Update::Apply(WideKey(place.rest, blocks.fingerprint_bits),
                       FingerprintBlockAt(blocks, place.block_idx));
}

template <template <size_t> class Reads>
HWY_INLINE OneFate QueryWideKey(uint64_t digest, const FingerprintBlocks& blocks) {
  const FingerprintPlace place = FingerprintPlaceOf(digest, blocks.num_blocks);
  const uint32_t* block = FingerprintBlockAt(blocks, place.block_idx);
  Reads<1> reads;
  reads.Add(0, blocks, VersionOf(digest, place.block_idx, blocks));
  reads.Begin(0, 1);
  const OneFate fate = QueryWide::Apply(WideKey(place.rest, blocks.fingerprint_bits), block);
  if (fate == OneFate::kUnchanged && reads.Changed(0, 1) != 0) return OneFate::kSpill;
  return fate;
}

template <template <size_t> class Reads>
HWY_NOINLINE OneFate QueryOneWide(uint64_t digest, const void* blocks) {
  return QueryWideKey<Reads>(digest, *static_cast<const FingerprintBlocks*>(blocks));
}

// ForEachKey of update-inl.h. Calls use(i, fate) for each key that is not spilled.
template <class Update, class Change, class Use>
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
    const OneFate fate = UpdateOneWide<Update, Change>(digests[i], &blocks);
    if (HWY_UNLIKELY(fate >= OneFate::kSpill)) {
      if (fate == OneFate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
      continue;
    }
    use(i, fate);
  }
  return {end, num_spilled};
}

template <class Change>
UpdateProgress InsertWideKeys(const uint64_t* digests, const DigestRange& range,
                              const FingerprintBlocks& blocks, uint32_t* spilled) {
  return UpdateWide<InsertWide, Change>(digests, range, blocks, spilled,
                                        [](size_t, OneFate) HWY_ATTR {});
}

// Those that set the bit of each key that they changed.
template <class Update, class Change>
UpdateProgress UpdateWideKeys(const uint64_t* digests, const DigestRange& range,
                              const FingerprintBlocks& blocks, uint64_t* HWY_RESTRICT changed,
                              uint32_t* spilled) {
  return UpdateWide<Update, Change>(
      digests, range, blocks, spilled, [changed](size_t i, OneFate fate) HWY_ATTR {
        changed[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
      });
}

// Which of these keys are not shown. Moves them to the front; returns how many.
HWY_INLINE size_t KeepNotShown(const uint64_t* HWY_RESTRICT shown, size_t num_listed,
                               uint32_t* HWY_RESTRICT listed) {
  size_t num_kept = 0;
  for (size_t m = 0; m < num_listed; ++m) {
    const uint32_t i = listed[m];
    listed[num_kept] = i;
    num_kept += ~(shown[i / 64] >> (i % 64)) & 1;
  }
  return num_kept;
}

// Few blocks have a mark, and few groups change meanwhile, so branches on that are predicted.
// Whether keys are shown is not branched on: where members and others take turns that took 10 ns
// per key instead of 3 (AMD EPYC, 1 M keys).
template <template <size_t> class Reads>
size_t QueryWideKeys(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                     const FingerprintBlocks& blocks_in_memory, uint64_t* HWY_RESTRICT shown,
                     uint32_t* HWY_RESTRICT unsure) {
  constexpr size_t kGroup = WidePlaces<Reads>::kSize;
  constexpr size_t kGroups = kQueryDistance / kGroup;
  constexpr uint64_t kAllShown = (uint64_t{1} << kGroup) - 1;
  static_assert(std::has_single_bit(kGroups) && 64 % kGroup == 0);
  const FingerprintBlocks blocks = blocks_in_memory;
  WidePlaces<Reads> ring[kGroups];
  const size_t grouped = num_digests - num_digests % kGroup;
  const size_t lead = HWY_MIN(grouped, kQueryDistance);
  for (size_t i = 0; i < lead; i += kGroup) ring[i / kGroup].Fetch(digests + i, blocks);
  size_t num_listed = 0;
  uint64_t word = 0;  // answers of the current 64 keys, the first in the lowest bit
  for (size_t i = 0; i < grouped; i += kGroup) {
    WidePlaces<Reads>& places = ring[i / kGroup % kGroups];
    places.reads.Begin(0, kGroup);
    uint64_t answers = 0;
    uint64_t marked = 0;
    HWY_UNROLL(8)
    for (size_t j = 0; j < kGroup; ++j) {
      const uint32_t* block = places.BlockAt(j);
      answers |= static_cast<uint64_t>(ShowsWidePair(block, places.PairAt(j))) << j;
      if (HWY_UNLIKELY(HasWideMark(block))) {
        unsure[num_listed++] = static_cast<uint32_t>(i + j);
        marked |= uint64_t{1} << j;
      }
    }
    if (Reads<kGroup>::kHasVersions && answers != kAllShown) {
      const uint64_t changed = places.reads.Changed(0, kGroup) & ~marked;
      for (uint64_t left = changed; HWY_UNLIKELY(left != 0); left &= left - 1) {
        const size_t j = hwy::Num0BitsBelowLS1Bit_Nonzero64(left);
        unsure[num_listed++] = static_cast<uint32_t>(i + j);
      }
    }
    word |= answers << (i % 64);
    if (i % 64 == 64 - kGroup) {
      shown[i / 64] = word;
      word = 0;
    }
    const size_t next = i + kQueryDistance;
    if (HWY_LIKELY(next < grouped)) places.Fetch(digests + next, blocks);
  }
  for (size_t i = grouped; i < num_digests; ++i) {
    const OneFate fate = QueryWideKey<Reads>(digests[i], blocks);
    word |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
    if (HWY_UNLIKELY(fate == OneFate::kSpill)) unsure[num_listed++] = static_cast<uint32_t>(i);
  }
  if (num_digests % 64 != 0) shown[num_digests / 64] = word;
  return KeepNotShown(shown, num_listed, unsure);
}

template <class Change, template <size_t> class Reads>
constexpr FingerprintKernels WideKernels() {
  return {
      .insert = &InsertWideKeys<Change>,
      .insert_if_absent = &UpdateWideKeys<InsertWideIfAbsent, Change>,
      .erase = &UpdateWideKeys<EraseWide, Change>,
      .query = &QueryWideKeys<Reads>,
      .insert_one = &UpdateOneWide<InsertWide, Change>,
      .insert_if_absent_one = &UpdateOneWide<InsertWideIfAbsent, Change>,
      .erase_one = &UpdateOneWide<EraseWide, Change>,
      .query_one = &QueryOneWide<Reads>,
  };
}

}  // namespace

void AddWideFingerprintsForTarget(KernelTable& kernels) {
  kernels.wide_fingerprints = WideKernels<NoGroupChange, NoGroupReads>();
  kernels.versioned_wide_fingerprints = WideKernels<GroupChange, GroupReads>();
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
