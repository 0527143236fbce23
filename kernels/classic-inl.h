// Kernels of the classic filters: positions of many keys in one slice, and queries that go
// slice by slice with the keys that are left. Counters are updated in plain C++
// (engine/src/classic), since memory access takes the time there. A lane is a digest, 64 bits: the
// state of its double hash (hashes-inl.h).
#if defined(TROMMEL_KERNELS_CLASSIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_CLASSIC_INL_H_
#undef TROMMEL_KERNELS_CLASSIC_INL_H_
#else
#define TROMMEL_KERNELS_CLASSIC_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/classic_array.h"
#include "kernels/hashes-inl.h"
#include "kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// One vector of Positions.
template <bool kMixed, class D>
HWY_INLINE void StorePositions(D d, const uint64_t* HWY_RESTRICT digests, uint64_t num_positions,
                               uint64_t hash_idx, uint32_t* HWY_RESTRICT positions) {
  const auto state = StateOf(d, hn::LoadU(d, digests), hn::Set(d, hash_idx));
  const auto wide = PositionsOf<kMixed>(d, state, hn::Set(d, num_positions));
  const hn::Rebind<uint32_t, D> half;
  hn::StoreU(hn::TruncateTo(half, wide), half, positions);
}

template <bool kMixed>
HWY_INLINE void PositionsAs(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                            const ClassicArray& array, uint64_t hash_idx,
                            uint32_t* HWY_RESTRICT positions) {
  const hn::ScalableTag<uint64_t> d;
  const hn::CappedTag<uint64_t, 1> one;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= num_digests; i += hn::Lanes(d)) {
    StorePositions<kMixed>(d, digests + i, array.num_positions, hash_idx, positions + i);
  }
  for (; i < num_digests; ++i) {
    StorePositions<kMixed>(one, digests + i, array.num_positions, hash_idx, positions + i);
  }
}

void Positions(const uint64_t* HWY_RESTRICT digests, size_t num_digests, const ClassicArray& array,
               size_t hash_idx, uint32_t* HWY_RESTRICT positions) {
  if (array.is_mixed) {
    PositionsAs<true>(digests, num_digests, array, hash_idx, positions);
  } else {
    PositionsAs<false>(digests, num_digests, array, hash_idx, positions);
  }
}

// The keys of a chunk that are present in all slices so far.
struct Candidates {
  static constexpr size_t kMax = 1024;

  HWY_ALIGN uint64_t states[kMax];
  HWY_ALIGN uint64_t indices[kMax];  // in the chunk
  size_t size;
};

// Keeps the candidates that are present in this slice, too, and advances their states to the next
// hash. They are written over candidates that were read before.
template <bool kMixed, class D>
HWY_INLINE size_t Probe(D d, const ClassicArray& array, const uint64_t* HWY_RESTRICT slice,
                        Candidates& candidates, size_t i, size_t num_kept) {
  const auto state = hn::Load(d, candidates.states + i);
  const auto index = hn::Load(d, candidates.indices + i);
  const auto position = PositionsOf<kMixed>(d, state, hn::Set(d, array.num_positions));
  const auto bit = hn::ShiftLeftSame(position, static_cast<int>(array.field_log2));
  const hn::RebindToSigned<D> di;
  const auto words = hn::GatherIndex(d, slice, hn::BitCast(di, hn::ShiftRight<6>(bit)));
  const uint64_t field = (uint64_t{1} << (1U << array.field_log2)) - 1;
  const auto count = hn::And(hn::Shr(words, hn::And(bit, hn::Set(d, 63))), hn::Set(d, field));
  const auto present = hn::Ne(count, hn::Zero(d));
  hn::CompressStore(NextState(d, state), present, d, candidates.states + num_kept);
  return num_kept + hn::CompressStore(index, present, d, candidates.indices + num_kept);
}

// The same for one candidate, without vectors: CompressStore would write past the end.
template <bool kMixed>
HWY_INLINE size_t ProbeOne(const ClassicArray& array, const uint64_t* HWY_RESTRICT slice,
                           Candidates& candidates, size_t i, size_t num_kept) {
  const uint64_t state = candidates.states[i];
  const auto hash = static_cast<uint32_t>(state >> 32);
  const uint64_t bit =
      (kMixed ? ClassicMix(hash) : hash) * array.num_positions >> 32 << array.field_log2;
  const uint64_t field = (uint64_t{1} << (1U << array.field_log2)) - 1;
  candidates.states[num_kept] = state + (state << 32);
  candidates.indices[num_kept] = candidates.indices[i];
  return num_kept + ((slice[bit / 64] >> bit % 64 & field) != 0 ? 1 : 0);
}

template <bool kMixed>
HWY_INLINE void ProbeAll(const ClassicArray& array, size_t hash_idx, Candidates& candidates) {
  const hn::ScalableTag<uint64_t> d;
  // The same bytes, 64 bits at a time: little-endian, and slices are whole cache lines.
  const auto* slice = reinterpret_cast<const uint64_t*>(array.slice(hash_idx));
  size_t num_kept = 0;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= candidates.size; i += hn::Lanes(d)) {
    num_kept = Probe<kMixed>(d, array, slice, candidates, i, num_kept);
  }
  for (; i < candidates.size; ++i) {
    num_kept = ProbeOne<kMixed>(array, slice, candidates, i, num_kept);
  }
  candidates.size = num_kept;
}

size_t Query(const uint64_t* HWY_RESTRICT digests, size_t num_digests, const ClassicArray& array,
             size_t num_probes, uint64_t* HWY_RESTRICT maybe_present) {
  Candidates candidates;
  size_t num_present = 0;
  for (size_t w = 0; w < (num_digests + 63) / 64; ++w) maybe_present[w] = 0;
  for (size_t first = 0; first < num_digests; first += Candidates::kMax) {
    candidates.size = HWY_MIN(Candidates::kMax, num_digests - first);
    for (size_t i = 0; i < candidates.size; ++i) {
      candidates.states[i] = digests[first + i] | 1;
      candidates.indices[i] = i;
    }
    for (size_t s = 0; s < num_probes && candidates.size != 0; ++s) {
      if (array.is_mixed) {
        ProbeAll<true>(array, s, candidates);
      } else {
        ProbeAll<false>(array, s, candidates);
      }
    }
    for (size_t i = 0; i < candidates.size; ++i) {
      const size_t key = first + candidates.indices[i];
      maybe_present[key / 64] |= uint64_t{1} << key % 64;
    }
    num_present += candidates.size;
  }
  return num_present;
}

}  // namespace

void AddClassicForTarget(KernelTable& kernels) {
  kernels.classic.positions = &Positions;
  kernels.classic.query = &Query;
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
