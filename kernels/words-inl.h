// Functions that the block kernels of all encodings share. Included once per target.
//
// Slices of 32 positions lie side by side in memory, so `Lanes(d)` of them move together: one
// vector on AVX2 for 8 slices, two on SSE4 or NEON, eight on the 1-lane scalar target. Every
// function below therefore loops over a block's vectors; where the lane count is a constant the
// loop unrolls.
//
// What differs by encoding and shape is a *layout* (planes-inl.h, runs-inl.h): a struct of
//
//   Block                               pointers to the words of one block
//   BlockAt(blocks, block_idx)          the block with that index
//   PresenceAt(presence, block_idx)     its presence words; blocks are kPresenceStride words apart
//   Prefetch(block), PrefetchPresence(presence)
//   Marks                               the bits of a key: Marks(digest).ShownBy(presence)
//   ShowsAll(digest, presence)          Marks(digest).ShownBy(presence): a whole query
//   TryInsert(digest, block)            inserts a key, or returns why not
//   TryErase(digest, block)             erases a key that the block shows, or returns why not
//   kSpillsFull                         is a block that is full for a key so for every other?
//
// of which the kernels are templates. Where kSpillsFull holds, a key at which it would stop is
// spilled: so are all that come later for its block, which keeps the order of the block's keys.
#if defined(TROMMEL_KERNELS_WORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_WORDS_INL_H_
#undef TROMMEL_KERNELS_WORDS_INL_H_
#else
#define TROMMEL_KERNELS_WORDS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "kernels/presence_words.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors no longer than a block: another thread may update the next one.
using SliceTag = hn::CappedTag<uint32_t, kWordSlices>;

// The positions the digest marks in Lanes(d) slices of 32 from slice s on.
//   low half x salt (mod 2^32):   ppppp...........................   ->  ppppp
template <class D>
HWY_INLINE hn::Vec<D> ProbePositions(D d, uint64_t digest, size_t s) {
  const auto low = hn::Set(d, static_cast<uint32_t>(digest));
  return hn::ShiftRight<27>(hn::Mul(low, hn::Load(d, kSalts + s)));
}

// One bit in each of these slices.
template <class D>
HWY_INLINE hn::Vec<D> ProbeMask(D d, uint64_t digest, size_t s) {
  return hn::Shl(hn::Set(d, 1U), ProbePositions(d, digest, s));
}

// Presence words, which queries may read while an update writes them: see presence_words.h.
template <class D>
HWY_INLINE hn::Vec<D> LoadPresence(D d, const uint32_t* HWY_RESTRICT presence) {
#if TROMMEL_ATOMIC_WORDS
  HWY_ALIGN uint32_t words[hn::MaxLanes(d)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) words[i] = LoadPresenceWord(presence + i);
  return hn::Load(d, words);
#else
  return hn::Load(d, presence);
#endif
}

template <class D>
HWY_INLINE void StorePresence(hn::Vec<D> v, D d, uint32_t* HWY_RESTRICT presence) {
#if TROMMEL_ATOMIC_WORDS
  HWY_ALIGN uint32_t words[hn::MaxLanes(d)];
  hn::Store(v, d, words);
  for (size_t i = 0; i < hn::Lanes(d); ++i) StorePresenceWord(words[i], presence + i);
#else
  hn::Store(v, d, presence);
#endif
}

// True if any bit of v is set.
template <class D>
HWY_INLINE bool AnyBit(D d, hn::Vec<D> v) {
  return !hn::AllTrue(d, hn::Eq(v, hn::Zero(d)));
}

template <class Layout>
HWY_INLINE typename Layout::Block BlockOf(uint64_t digest, const Blocks& blocks) {
  return Layout::BlockAt(blocks, BlockIndex(digest, blocks.num_blocks));
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
