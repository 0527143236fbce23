// Updates and queries of fingerprint blocks with slots of 8 bits (fingerprint_layout.h). Included
// once per target. One key: narrow_key-inl.h.
#if defined(TROMMEL_KERNELS_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_NARROW_INL_H_
#undef TROMMEL_KERNELS_NARROW_INL_H_
#else
#define TROMMEL_KERNELS_NARROW_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/narrow_key-inl.h"
#include "kernels/narrow_lanes-inl.h"
#include "kernels/narrow_slots-inl.h"
#include "kernels/select-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE void PrefetchNarrow(uint64_t digest, const FingerprintBlocks& blocks) {
  hwy::Prefetch(
      FingerprintBlockAt(blocks, FingerprintPlaceOf(digest, blocks.num_blocks).block_idx));
}

// Operations on one key, for the templates below.
template <class Select>
struct InsertsNarrow {
  static HWY_INLINE OneFate Apply(const NarrowPart& key, uint32_t* block) {
    return Narrow<Select>::Insert(key, block);
  }
};
template <class Select>
struct InsertsNarrowIfAbsent {
  static HWY_INLINE OneFate Apply(const NarrowPart& key, uint32_t* block) {
    return Narrow<Select>::InsertIfAbsent(key, block);
  }
};
template <class Select>
struct ErasesNarrow {
  static HWY_INLINE OneFate Apply(const NarrowPart& key, uint32_t* block) {
    return Narrow<Select>::Erase(key, block);
  }
};

template <class Update, class Change>
HWY_INLINE OneFate UpdateNarrowKey(uint64_t digest, const FingerprintBlocks& blocks) {
  const FingerprintPlace place = FingerprintPlaceOf(digest, blocks.num_blocks);
  [[maybe_unused]] const Change change(blocks, VersionOf(digest, place.block_idx, blocks));
  return Update::Apply(NarrowPart(place.rest, blocks.fingerprint_bits),
                       FingerprintBlockAt(blocks, place.block_idx));
}

template <class Update, class Change>
OneFate UpdateOneNarrow(uint64_t digest, const void* blocks) {
  return UpdateNarrowKey<Update, Change>(digest, *static_cast<const FingerprintBlocks*>(blocks));
}

template <class Select, template <size_t> class Reads>
OneFate QueryOneNarrow(uint64_t digest, const void* blocks) {
  return QueryNarrowKey<Select, Reads>(digest, *static_cast<const FingerprintBlocks*>(blocks));
}

// ForEachKey of words-inl.h. Calls use(i, fate) for each key that is done.
template <class Update, class Change, class Use>
HWY_INLINE UpdateProgress UpdateNarrow(const uint64_t* HWY_RESTRICT digests,
                                       const DigestRange& range,
                                       const FingerprintBlocks& blocks_in_memory,
                                       uint32_t* HWY_RESTRICT spilled, const Use& use) {
  const FingerprintBlocks blocks = blocks_in_memory;  // no store changes a copy
  const size_t end = range.end;
  const size_t fetch_end = HWY_MAX(end, range.fetch_end);
  const size_t lead = HWY_MIN(fetch_end, range.begin + kUpdateDistance);
  for (size_t i = HWY_MAX(range.begin, range.fetched); i < lead; ++i) {
    PrefetchNarrow(digests[i], blocks);
  }
  size_t num_spilled = 0;
  for (size_t i = range.begin; i < end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < fetch_end)) {
      PrefetchNarrow(digests[i + kUpdateDistance], blocks);
    }
    const OneFate fate = UpdateNarrowKey<Update, Change>(digests[i], blocks);
    if (HWY_UNLIKELY(fate >= OneFate::kSpill)) {
      if (fate == OneFate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
    } else {
      use(i, fate);
    }
  }
  return {end, num_spilled};
}

template <class Update, class Change>
UpdateProgress InsertNarrowKeys(const uint64_t* digests, const DigestRange& range,
                                const FingerprintBlocks& blocks, uint32_t* spilled) {
  return UpdateNarrow<Update, Change>(digests, range, blocks, spilled,
                                      [](size_t, OneFate) HWY_ATTR {});
}

// Sets the bit of each key that was inserted, or erased.
template <class Update, class Change>
UpdateProgress UpdateNarrowKeys(const uint64_t* digests, const DigestRange& range,
                                const FingerprintBlocks& blocks, uint64_t* HWY_RESTRICT changed,
                                uint32_t* spilled) {
  return UpdateNarrow<Update, Change>(
      digests, range, blocks, spilled, [changed](size_t i, OneFate fate) HWY_ATTR {
        changed[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
      });
}

// The digests [begin, end) of a batch, up to 64, and where to list those that are unsure.
struct NarrowWord {
  const uint64_t* HWY_RESTRICT digests;
  size_t begin;
  size_t end;
  uint32_t* HWY_RESTRICT unsure;
};

// Each of the following returns the bits of a word's keys, and prefetches, if kFetches, the digests
// kQueryDistance behind.

// A branch per key, which is predicted as long as nearly all keys are present.
template <class Select, template <size_t> class Reads, bool kFetches>
HWY_INLINE uint64_t QueryPresentNarrow(const NarrowWord& keys, const FingerprintBlocks& blocks,
                                       size_t& num_unsure) {
  uint64_t word = 0;
  for (size_t i = keys.begin; i < keys.end; ++i) {
    if constexpr (kFetches) PrefetchNarrow(keys.digests[i + kQueryDistance], blocks);
    const OneFate fate = QueryNarrowKey<Select, Reads>(keys.digests[i], blocks);
    word |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
    if (HWY_UNLIKELY(fate == OneFate::kSpill)) keys.unsure[num_unsure++] = static_cast<uint32_t>(i);
  }
  return word;
}

// Two passes: which keys are candidates, without a branch, and then these alone. The branch above
// would be mispredicted for an eighth of absent keys, and for half of the keys if half are present.
template <class Select, template <size_t> class Reads, bool kFetches>
HWY_INLINE uint64_t QueryAnyNarrow(const NarrowWord& keys, const FingerprintBlocks& blocks,
                                   size_t& num_unsure) {
  uint64_t equal[64];
  Reads<64> reads;
  uint64_t candidates = 0;
  for (size_t i = keys.begin; i < keys.end; ++i) {
    if constexpr (kFetches) PrefetchNarrow(keys.digests[i + kQueryDistance], blocks);
    const FingerprintPlace place = FingerprintPlaceOf(keys.digests[i], blocks.num_blocks);
    const uint32_t* block = FingerprintBlockAt(blocks, place.block_idx);
    const NarrowPart key(place.rest, blocks.fingerprint_bits);
    reads.Add(i % 64, blocks, VersionOf(keys.digests[i], place.block_idx, blocks));
    reads.Begin(i % 64, i % 64 + 1);
    equal[i % 64] = NarrowSlotsWhere<NarrowTest::kEqual>(block, key.slot);
    const bool is_candidate = Narrow<Select>::IsCandidate(equal[i % 64], block);
    candidates |= static_cast<uint64_t>(is_candidate) << (i % 64);
  }
  uint64_t word = 0;
  uint64_t listed = 0;
  for (; candidates != 0; candidates &= candidates - 1) {
    const size_t bit = hwy::Num0BitsBelowLS1Bit_Nonzero64(candidates);
    const size_t i = keys.begin + bit;
    const FingerprintPlace place = FingerprintPlaceOf(keys.digests[i], blocks.num_blocks);
    const OneFate fate =
        Narrow<Select>::QueryBin(NarrowPart(place.rest, blocks.fingerprint_bits), equal[bit],
                                 FingerprintBlockAt(blocks, place.block_idx));
    word |= static_cast<uint64_t>(fate == OneFate::kDone) << bit;
    if (HWY_UNLIKELY(fate == OneFate::kSpill)) {
      keys.unsure[num_unsure++] = static_cast<uint32_t>(i);
      listed |= uint64_t{1} << bit;
    }
  }
  const uint64_t changed = reads.Changed(0, keys.end - keys.begin) & ~(word | listed);
  for (uint64_t left = changed; HWY_UNLIKELY(left != 0); left &= left - 1) {
    const size_t i = keys.begin + hwy::Num0BitsBelowLS1Bit_Nonzero64(left);
    keys.unsure[num_unsure++] = static_cast<uint32_t>(i);
  }
  return word;
}

template <class Select, template <size_t> class Reads>
size_t QueryNarrowKeys(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                       const FingerprintBlocks& blocks_in_memory, uint64_t* HWY_RESTRICT shown,
                       uint32_t* HWY_RESTRICT unsure) {
  constexpr size_t kNearlyAll = 60;  // of 64 keys
  const FingerprintBlocks blocks = blocks_in_memory;
  size_t i = 0;
  size_t num_unsure = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if (blocks.fingerprint_bits >= kLeastBitsInLanes) {
    const NarrowProgress done =
        QueryNarrowInLanes<Select, Reads>(digests, num_digests / 64, blocks, shown, unsure);
    i = 64 * done.num_words;
    num_unsure = done.num_unsure;
  }
#endif
  const size_t lead = HWY_MIN(num_digests, i + kQueryDistance);
  for (size_t j = i; j < lead; ++j) PrefetchNarrow(digests[j], blocks);
  size_t num_present = 0;  // in the word before
  for (; i + 64 + kQueryDistance <= num_digests; i += 64) {
    const NarrowWord keys{digests, i, i + 64, unsure};
    shown[i / 64] = num_present >= kNearlyAll
                        ? QueryPresentNarrow<Select, Reads, true>(keys, blocks, num_unsure)
                        : QueryAnyNarrow<Select, Reads, true>(keys, blocks, num_unsure);
    num_present = hwy::PopCount(shown[i / 64]);
  }
  for (size_t j = i + kQueryDistance; j < num_digests; ++j) PrefetchNarrow(digests[j], blocks);
  for (; i < num_digests; i += 64) {
    const NarrowWord keys{digests, i, HWY_MIN(i + 64, num_digests), unsure};
    shown[i / 64] = num_present >= kNearlyAll
                        ? QueryPresentNarrow<Select, Reads, false>(keys, blocks, num_unsure)
                        : QueryAnyNarrow<Select, Reads, false>(keys, blocks, num_unsure);
  }
  return num_unsure;
}

template <class Select, class Change, template <size_t> class Reads>
constexpr FingerprintKernels NarrowKernels() {
  return {
      .insert = &InsertNarrowKeys<InsertsNarrow<Select>, Change>,
      .insert_if_absent = &UpdateNarrowKeys<InsertsNarrowIfAbsent<Select>, Change>,
      .erase = &UpdateNarrowKeys<ErasesNarrow<Select>, Change>,
      .query = &QueryNarrowKeys<Select, Reads>,
      .insert_one = &UpdateOneNarrow<InsertsNarrow<Select>, Change>,
      .insert_if_absent_one = &UpdateOneNarrow<InsertsNarrowIfAbsent<Select>, Change>,
      .erase_one = &UpdateOneNarrow<ErasesNarrow<Select>, Change>,
      .query_one = &QueryOneNarrow<Select, Reads>,
  };
}

}  // namespace

void AddNarrowFingerprintsForTarget(KernelTable& kernels) {
  WithSelect([&]<class Select>(Select) {
    kernels.narrow_fingerprints = NarrowKernels<Select, NoGroupChange, NoGroupReads>();
    kernels.versioned_narrow_fingerprints = NarrowKernels<Select, GroupChange, GroupReads>();
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
