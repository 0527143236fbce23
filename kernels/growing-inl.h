// Updates and queries of growing blocks (growing_layout.h). Included once per target.
//
// Neighbouring sizes of a store have different shapes, and its shards and segments are not of one
// size while it grows. So what depends on the shape is called for each key: nearly always the same
// function as for the key before.
#if defined(TROMMEL_KERNELS_GROWING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_GROWING_INL_H_
#undef TROMMEL_KERNELS_GROWING_INL_H_
#else
#define TROMMEL_KERNELS_GROWING_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/byte_slots-inl.h"
#include "kernels/digest_tables-inl.h"
#include "kernels/group_versions.h"
#include "kernels/growing_layout.h"
#include "kernels/kernels.h"
#include "kernels/presence_words.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE VersionedPlace GrowingPlaceOf(uint64_t digest, uint64_t root,
                                         const GrowingBlocks& blocks) {
  return PlaceInSegment(digest, LoadSegmentWord(root, digest), blocks.value_bits);
}

// One by one: a copy of the whole would wait for its parts.
HWY_INLINE void Store(const VersionedPlace& from, GrowingPlace& to) {
  to.block = from.block;
  to.remainder = from.remainder;
  to.bin = from.bin;
  to.shape_idx = from.shape_idx;
}

// --- Updates.

// Calls use(i, fate) for each key that is done.
template <class Apply, class Use>
HWY_INLINE GrowingProgress UpdateGrowing(const uint64_t* HWY_RESTRICT digests,
                                         const DigestRange& range,
                                         const GrowingBlocks& blocks_in_memory,
                                         uint32_t* HWY_RESTRICT spilled, const Apply& apply,
                                         const Use& use) {
  constexpr size_t kRing = kUpdateDistance;
  // So many blocks are prefetched together: their addresses are translated side by side, where each
  // by itself would wait among the updates.
  constexpr size_t kGroup = 16;
  static_assert(kRing % kGroup == 0);
  const GrowingBlocks blocks = blocks_in_memory;  // no store changes a copy
  const uint64_t root = LoadRoot(blocks);
  const size_t end = range.end;
  const size_t fetch_end = HWY_MAX(end, range.fetch_end);
  // Places are found when their blocks are prefetched; those behind the range, which are the next
  // call's, are found once more.
  GrowingPlace ring[kRing];
  uint64_t* versions[kRing];
  const auto prefetch = [&](size_t i) HWY_ATTR {
    if (i < fetch_end) hwy::Prefetch(GrowingPlaceOf(digests[i], root, blocks).block);
  };
  const auto fetch = [&](size_t i) HWY_ATTR {
    const VersionedPlace place = GrowingPlaceOf(digests[i], root, blocks);
    Store(place, ring[i % kRing]);
    versions[i % kRing] = place.version;
    hwy::Prefetch(place.block);
  };
  const size_t lead = HWY_MIN(end, range.begin + kRing);
  for (size_t i = range.begin; i < lead; ++i) fetch(i);
  for (size_t i = HWY_MAX(lead, range.fetched); i < range.begin + kRing; ++i) prefetch(i);
  GrowingProgress progress{0, 0};
  for (size_t begin = range.begin; begin < end; begin += kGroup) {
    const size_t group_end = HWY_MIN(begin + kGroup, end);
    for (size_t i = begin; i < group_end; ++i) {
      OneFate fate;
      {
        const GrowingPlace& place = ring[i % kRing];
        const GroupChange change(versions[i % kRing]);
        fate = apply(blocks.shapes[place.shape_idx])(place.bin, place.remainder, place.block);
      }
      progress.num_changed += static_cast<size_t>(fate == OneFate::kDone);
      if (HWY_UNLIKELY(fate == OneFate::kSpill)) {
        spilled[progress.num_spilled++] = static_cast<uint32_t>(i);
      } else {
        use(i, fate);
      }
    }
    const size_t fetched = begin + kRing;
    const size_t placed = HWY_MAX(HWY_MIN(fetched + kGroup, end), fetched);
    for (size_t i = fetched; i < placed; ++i) fetch(i);
    for (size_t i = placed; i < HWY_MIN(fetched + kGroup, end + kRing); ++i) prefetch(i);
  }
  return progress;
}

GrowingProgress InsertGrowingKeys(const uint64_t* digests, const DigestRange& range,
                                  const GrowingBlocks& blocks, uint64_t* /*inserted*/,
                                  uint32_t* spilled) {
  return UpdateGrowing(
      digests, range, blocks, spilled,
      [](const DenseCutKernels& shape) HWY_ATTR { return shape.insert; },
      [](size_t, OneFate) HWY_ATTR {});
}

// Those that set the bit of each key that they changed.
template <OneFate (*DenseCutKernels::*kUpdate)(uint32_t, uint32_t, uint32_t*)>
GrowingProgress UpdateGrowingKeys(const uint64_t* digests, const DigestRange& range,
                                  const GrowingBlocks& blocks, uint64_t* HWY_RESTRICT changed,
                                  uint32_t* spilled) {
  return UpdateGrowing(
      digests, range, blocks, spilled,
      [](const DenseCutKernels& shape) HWY_ATTR { return shape.*kUpdate; },
      [changed](size_t i, OneFate fate) HWY_ATTR {
        changed[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
      });
}

// --- Queries.

OneFate QueryOneGrowing(uint64_t digest, const GrowingBlocks& blocks) {
  const VersionedPlace place = GrowingPlaceOf(digest, LoadRoot(blocks), blocks);
  GroupReads<1> reads;
  reads.Add(0, place.version);
  reads.Begin(0, 1);
  uint64_t cut = 0;
  if (blocks.shapes[place.shape_idx].query(&place, 1, &place, cut) != 0) return OneFate::kDone;
  return cut != 0 || reads.Changed(0, 1) != 0 ? OneFate::kSpill : OneFate::kUnchanged;
}

// The bits of byte slots, by shape.
inline constexpr auto kByteSlots = [] {
  struct {
    uint64_t of[kNumDenseShapes];
  } slots{};
  for (size_t i = 0; i < kNumDenseShapes; ++i) {
    slots.of[i] = (uint64_t{1} << kDenseShapes[i].slots) - 1;
  }
  return slots;
}();

// Which of some places the shape must be asked of: those with an equal byte, and those whose block
// is cut. Without a branch.
HWY_INLINE uint64_t GrowingCandidates(const GrowingPlace* places, size_t num_places,
                                      const GrowingPlace* next) {
  constexpr uint32_t kCutBit = 31;  // of the last word
  uint64_t candidates = 0;
  for (size_t i = 0; i < num_places; ++i) {
    hwy::Prefetch(next[i].block);
    const GrowingPlace& place = places[i];
    const uint64_t equal =
        BytesEqual(place.block, place.remainder & 0xff) & kByteSlots.of[place.shape_idx];
    const uint32_t is_cut = LoadPresenceWord(place.block + kFingerprintBlockWords - 1) >> kCutBit;
    candidates |= static_cast<uint64_t>((equal | is_cut) != 0) << i;
  }
  return candidates;
}

// Queries these places of a word of 64 by their shapes: nearly always there is one.
HWY_INLINE uint64_t QueryShapes(const GrowingPlace* places, uint64_t mask, const GrowingPlace* next,
                                const GrowingBlocks& blocks, uint64_t& cut) {
  int differing = 0;
  for (size_t i = 1; i < 64; ++i) differing |= places[i].shape_idx ^ places[0].shape_idx;
  if (HWY_LIKELY(differing == 0)) {
    return blocks.shapes[places[0].shape_idx].query(places, mask, next, cut);
  }
  uint64_t shown = 0;
  while (mask != 0) {
    const uint32_t shape_idx = places[hwy::Num0BitsBelowLS1Bit_Nonzero64(mask)].shape_idx;
    uint64_t others = 0;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      const size_t i = hwy::Num0BitsBelowLS1Bit_Nonzero64(rest);
      others |= static_cast<uint64_t>(places[i].shape_idx != shape_idx) << i;
    }
    shown |= blocks.shapes[shape_idx].query(places, mask ^ others, next, cut);
    mask = others;
  }
  return shown;
}

// In words of 64 keys, each of which prefetches the blocks of a later one.
template <template <size_t> class Reads>
size_t QueryGrowingKeys(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                        const GrowingBlocks& blocks_in_memory, uint64_t* HWY_RESTRICT shown,
                        uint32_t* HWY_RESTRICT unsure) {
  constexpr size_t kRing = 2 * kQueryDistance;
  constexpr size_t kNearlyAll = 60;  // of 64 keys
  const GrowingBlocks blocks = blocks_in_memory;
  const uint64_t root = LoadRoot(blocks);
  constexpr bool kHasVersions = Reads<1>::kHasVersions;
  GrowingPlace ring[kRing];
  [[maybe_unused]] const uint64_t* versions[kHasVersions ? kRing : 1];
  // A word that has fewer keys is filled up with its first.
  const auto place = [&](size_t begin) HWY_ATTR {
    GrowingPlace* const places = ring + begin % kRing;
    const size_t num_keys = HWY_MIN(num_digests - begin, size_t{64});
    for (size_t i = 0; i < num_keys; ++i) {
      const VersionedPlace at = GrowingPlaceOf(digests[begin + i], root, blocks);
      Store(at, places[i]);
      if constexpr (kHasVersions) {
        versions[(begin + i) % kRing] = at.version;
        hwy::Prefetch(at.version);
      }
    }
    for (size_t i = num_keys; i < 64; ++i) places[i] = places[0];
  };
  const size_t lead = HWY_MIN(kQueryDistance, num_digests);
  for (size_t begin = 0; begin < lead; begin += 64) place(begin);
  for (size_t i = 0; i < lead; ++i) hwy::Prefetch(ring[i].block);
  size_t num_unsure = 0;
  size_t num_present = 0;  // in the word before
  for (size_t begin = 0; begin < num_digests; begin += 64) {
    const size_t num_keys = HWY_MIN(num_digests - begin, size_t{64});
    const GrowingPlace* places = ring + begin % kRing;
    const GrowingPlace* next = places;
    if (begin + kQueryDistance < num_digests) {
      place(begin + kQueryDistance);
      next = ring + (begin + kQueryDistance) % kRing;
    }
    Reads<64> reads;
    if constexpr (kHasVersions) {
      for (size_t i = 0; i < num_keys; ++i) reads.Add(i, versions[(begin + i) % kRing]);
    }
    reads.Begin(0, num_keys);
    uint64_t cut = 0;
    const uint64_t word =
        num_present >= kNearlyAll
            ? QueryShapes(places, ~uint64_t{0} >> (64 - num_keys), next, blocks, cut)
            : QueryShapes(places, GrowingCandidates(places, num_keys, next), places, blocks, cut);
    uint64_t left = (cut | reads.Changed(0, num_keys)) & ~word;
    for (; HWY_UNLIKELY(left != 0); left &= left - 1) {
      unsure[num_unsure++] =
          static_cast<uint32_t>(begin + hwy::Num0BitsBelowLS1Bit_Nonzero64(left));
    }
    shown[begin / 64] = word;
    num_present = hwy::PopCount(word);
  }
  return num_unsure;
}

void FetchGrowingKeys(const uint64_t* digests, size_t num_digests, const GrowingBlocks& blocks) {
  const uint64_t root = LoadRoot(blocks);
  for (size_t i = 0; i < num_digests; ++i) {
    hwy::Prefetch(GrowingPlaceOf(digests[i], root, blocks).block);
  }
}

}  // namespace

void AddGrowingForTarget(KernelTable& kernels) {
  kernels.growing = {
      .insert = &InsertGrowingKeys,
      .insert_if_absent = &UpdateGrowingKeys<&DenseCutKernels::insert_if_absent>,
      .erase = &UpdateGrowingKeys<&DenseCutKernels::erase>,
      .query = &QueryGrowingKeys<GroupReads>,
      .query_at_once = &QueryGrowingKeys<NoGroupReads>,
      .query_tables_at_once = &QueryDigestTables,
      .fetch = &FetchGrowingKeys,
      .query_one = &QueryOneGrowing,
  };
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
