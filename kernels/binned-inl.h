// Updates and queries of fingerprint blocks whose slots are in bins (dense_layout.h), in batches.
// Included once per target.
//
// How such a block is read and changed is a *codec* (dense-inl.h), of which the kernels are
// templates:
//
//   Key(rest, blocks)                  a key within its block
//   Insert, InsertIfAbsent, Erase, Query(key, block)
//   Equal(key, block)                  the slots that are equal to the key's, in any bin
//   IsCandidate(key, equal, block)     may the key be other than absent?
//   QueryBin(key, equal, block)        Query of a candidate
//   and more for queries of 64 keys at once: binned_lanes-inl.h
#if defined(TROMMEL_KERNELS_BINNED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_BINNED_INL_H_
#undef TROMMEL_KERNELS_BINNED_INL_H_
#else
#define TROMMEL_KERNELS_BINNED_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/binned_lanes-inl.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE void PrefetchBinned(uint64_t digest, const FingerprintBlocks& blocks) {
  hwy::Prefetch(
      FingerprintBlockAt(blocks, FingerprintPlaceOf(digest, blocks.num_blocks).block_idx));
}

template <class Codec>
using BinnedUpdate = OneFate (*)(const typename Codec::Key& key, uint32_t* block);

template <class Codec, BinnedUpdate<Codec> kUpdate, class Change>
HWY_INLINE OneFate UpdateBinnedKey(uint64_t digest, const FingerprintBlocks& blocks) {
  const FingerprintPlace place = FingerprintPlaceOf(digest, blocks.num_blocks);
  [[maybe_unused]] const Change change(blocks, VersionOf(digest, place.block_idx, blocks));
  return kUpdate(typename Codec::Key(place.rest, blocks),
                 FingerprintBlockAt(blocks, place.block_idx));
}

template <class Codec, BinnedUpdate<Codec> kUpdate, class Change>
HWY_NOINLINE OneFate UpdateOneBinned(uint64_t digest, const void* blocks) {
  return UpdateBinnedKey<Codec, kUpdate, Change>(digest,
                                                 *static_cast<const FingerprintBlocks*>(blocks));
}

template <class Codec, template <size_t> class Reads>
OneFate QueryOneBinned(uint64_t digest, const void* blocks) {
  return QueryBinnedKey<Codec, Reads>(digest, *static_cast<const FingerprintBlocks*>(blocks));
}

// ForEachKey of update-inl.h. Calls use(i, fate) for each key that is done.
template <class Codec, BinnedUpdate<Codec> kUpdate, class Change, class Use>
HWY_INLINE UpdateProgress UpdateBinned(const uint64_t* HWY_RESTRICT digests,
                                       const DigestRange& range,
                                       const FingerprintBlocks& blocks_in_memory,
                                       uint32_t* HWY_RESTRICT spilled, const Use& use) {
  const FingerprintBlocks blocks = blocks_in_memory;  // no store changes a copy
  const size_t end = range.end;
  const size_t fetch_end = HWY_MAX(end, range.fetch_end);
  const size_t lead = HWY_MIN(fetch_end, range.begin + kUpdateDistance);
  for (size_t i = HWY_MAX(range.begin, range.fetched); i < lead; ++i) {
    PrefetchBinned(digests[i], blocks);
  }
  size_t num_spilled = 0;
  for (size_t i = range.begin; i < end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < fetch_end)) {
      PrefetchBinned(digests[i + kUpdateDistance], blocks);
    }
    const OneFate fate = UpdateBinnedKey<Codec, kUpdate, Change>(digests[i], blocks);
    if (HWY_UNLIKELY(fate >= OneFate::kSpill)) {
      if (fate == OneFate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
    } else {
      use(i, fate);
    }
  }
  return {end, num_spilled};
}

template <class Codec, class Change>
UpdateProgress InsertBinnedKeys(const uint64_t* digests, const DigestRange& range,
                                const FingerprintBlocks& blocks, uint32_t* spilled) {
  return UpdateBinned<Codec, &Codec::Insert, Change>(digests, range, blocks, spilled,
                                                     [](size_t, OneFate) HWY_ATTR {});
}

// Sets the bit of each key that was inserted, or erased.
template <class Codec, BinnedUpdate<Codec> kUpdate, class Change>
UpdateProgress UpdateBinnedKeys(const uint64_t* digests, const DigestRange& range,
                                const FingerprintBlocks& blocks, uint64_t* HWY_RESTRICT changed,
                                uint32_t* spilled) {
  return UpdateBinned<Codec, kUpdate, Change>(
      digests, range, blocks, spilled, [changed](size_t i, OneFate fate) HWY_ATTR {
        changed[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
      });
}

// The digests [begin, end) of a batch, up to 64, and where to list those that are unsure.
struct BinnedWord {
  const uint64_t* HWY_RESTRICT digests;
  size_t num_digests;
  size_t begin;
  size_t end;
  uint32_t* HWY_RESTRICT unsure;
};

// Each of the following returns the bits of a word's keys, and prefetches the digests
// kQueryDistance behind.

// A branch per key, which is predicted as long as nearly all keys are present.
template <class Codec, template <size_t> class Reads>
HWY_INLINE uint64_t QueryPresentBinned(const BinnedWord& keys, const FingerprintBlocks& blocks,
                                       size_t& num_unsure) {
  uint64_t word = 0;
  for (size_t i = keys.begin; i < keys.end; ++i) {
    if (HWY_LIKELY(i + kQueryDistance < keys.num_digests)) {
      PrefetchBinned(keys.digests[i + kQueryDistance], blocks);
    }
    const OneFate fate = QueryBinnedKey<Codec, Reads>(keys.digests[i], blocks);
    word |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
    if (HWY_UNLIKELY(fate == OneFate::kSpill)) keys.unsure[num_unsure++] = static_cast<uint32_t>(i);
  }
  return word;
}

// Two passes: which keys are candidates, without a branch, and then these alone. The branch above
// would be mispredicted for an eighth of absent keys, and for half of the keys if half are present.
template <class Codec, template <size_t> class Reads>
HWY_INLINE uint64_t QueryAnyBinned(const BinnedWord& keys, const FingerprintBlocks& blocks,
                                   size_t& num_unsure) {
  using Key = typename Codec::Key;
  uint64_t equal[64];
  Reads<64> reads;
  uint64_t candidates = 0;
  for (size_t i = keys.begin; i < keys.end; ++i) {
    if (HWY_LIKELY(i + kQueryDistance < keys.num_digests)) {
      PrefetchBinned(keys.digests[i + kQueryDistance], blocks);
    }
    const FingerprintPlace place = FingerprintPlaceOf(keys.digests[i], blocks.num_blocks);
    const uint32_t* block = FingerprintBlockAt(blocks, place.block_idx);
    const Key key(place.rest, blocks);
    reads.Add(i % 64, blocks, VersionOf(keys.digests[i], place.block_idx, blocks));
    reads.Begin(i % 64, i % 64 + 1);
    equal[i % 64] = Codec::Equal(key, block);
    const bool is_candidate = Codec::IsCandidate(key, equal[i % 64], block);
    candidates |= static_cast<uint64_t>(is_candidate) << (i % 64);
  }
  uint64_t word = 0;
  uint64_t listed = 0;
  for (; candidates != 0; candidates &= candidates - 1) {
    const size_t bit = hwy::Num0BitsBelowLS1Bit_Nonzero64(candidates);
    const size_t i = keys.begin + bit;
    const FingerprintPlace place = FingerprintPlaceOf(keys.digests[i], blocks.num_blocks);
    const OneFate fate = Codec::QueryBin(Key(place.rest, blocks), equal[bit],
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

template <class Codec, template <size_t> class Reads>
size_t QueryBinnedKeys(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                       const FingerprintBlocks& blocks_in_memory, uint64_t* HWY_RESTRICT shown,
                       uint32_t* HWY_RESTRICT unsure) {
  constexpr size_t kNearlyAll = 60;  // of 64 keys
  const FingerprintBlocks blocks = blocks_in_memory;
  size_t i = 0;
  size_t num_unsure = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if (blocks.fingerprint_bits >= Codec::kLeastBitsInLanes) {
    const LanesProgress done =
        QueryInLanes<Codec, Reads>(digests, num_digests / 64, blocks, shown, unsure);
    i = 64 * done.num_words;
    num_unsure = done.num_unsure;
  }
#endif
  const size_t lead = HWY_MIN(num_digests, i + kQueryDistance);
  for (size_t j = i; j < lead; ++j) PrefetchBinned(digests[j], blocks);
  size_t num_present = 0;  // in the word before
  for (; i < num_digests; i += 64) {
    const BinnedWord keys{digests, num_digests, i, HWY_MIN(i + 64, num_digests), unsure};
    shown[i / 64] = num_present >= kNearlyAll
                        ? QueryPresentBinned<Codec, Reads>(keys, blocks, num_unsure)
                        : QueryAnyBinned<Codec, Reads>(keys, blocks, num_unsure);
    num_present = hwy::PopCount(shown[i / 64]);
  }
  return num_unsure;
}

template <class Codec, class Change, template <size_t> class Reads>
constexpr FingerprintKernels BinnedKernels() {
  return {
      .insert = &InsertBinnedKeys<Codec, Change>,
      .insert_if_absent = &UpdateBinnedKeys<Codec, &Codec::InsertIfAbsent, Change>,
      .erase = &UpdateBinnedKeys<Codec, &Codec::Erase, Change>,
      .query = &QueryBinnedKeys<Codec, Reads>,
      .insert_one = &UpdateOneBinned<Codec, &Codec::Insert, Change>,
      .insert_if_absent_one = &UpdateOneBinned<Codec, &Codec::InsertIfAbsent, Change>,
      .erase_one = &UpdateOneBinned<Codec, &Codec::Erase, Change>,
      .query_one = &QueryOneBinned<Codec, Reads>,
  };
}

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
