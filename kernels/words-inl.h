// The vocabulary of the block kernels: a few vector words, each written once. Included once per
// target.
//
// A block's slices lie side by side in memory, so `Lanes(d)` of them move together: one vector on
// AVX2 for 8 slices, two on SSE4 or NEON, eight on the 1-lane scalar target. Every function below
// therefore loops over a block's vectors; where the lane count is a constant the loop unrolls.
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
#include "kernels/pipeline.h"
#include "kernels/plane_block.h"
#include "kernels/presence_words.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors never longer than a block: a block has one owner, a vector one block.
template <size_t kSlices>
using SliceTag = hn::CappedTag<uint32_t, kSlices>;

// The words of one block.
template <size_t kSlices>
struct Block {
  Block(const Blocks& blocks, uint64_t block_idx)
      : presence(blocks.presence + block_idx * kSlices),
        planes(blocks.counts + block_idx * kSlices * kNumPlanes) {}

  uint32_t* presence;
  uint32_t* planes;
};

// One bit in each of Lanes(d) slices from slice s on: the positions the digest marks.
//   low half x salt (mod 2^32):   ppppp...........................   ->  1 << ppppp
template <class D>
HWY_INLINE hn::Vec<D> ProbeMask(D d, uint64_t digest, size_t s) {
  const auto low = hn::Set(d, static_cast<uint32_t>(digest));
  const auto product = hn::Mul(low, hn::Load(d, kSalts + s));
  return hn::Shl(hn::Set(d, 1U), hn::ShiftRight<27>(product));
}

// Presence words, which queries may read while an update writes them: see presence_words.h.
template <class D>
HWY_INLINE hn::Vec<D> LoadPresence(D d, const uint32_t* HWY_RESTRICT presence) {
#if TROMMEL_ATOMIC_WORDS
  HWY_ALIGN uint32_t words[kMaxSlices];
  for (size_t i = 0; i < hn::Lanes(d); ++i) words[i] = LoadPresenceWord(presence + i);
  return hn::Load(d, words);
#else
  return hn::Load(d, presence);
#endif
}

template <class D>
HWY_INLINE void StorePresence(hn::Vec<D> v, D d, uint32_t* HWY_RESTRICT presence) {
#if TROMMEL_ATOMIC_WORDS
  HWY_ALIGN uint32_t words[kMaxSlices];
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

template <size_t kSlices>
HWY_INLINE Block<kSlices> BlockOf(uint64_t digest, const Blocks& blocks) {
  return Block<kSlices>(blocks, BlockIndex(digest, blocks.num_blocks));
}

// Brings the lines of a block near. Its planes span kNumPlanes * kSlices words: two lines for 8
// slices (any 96 bytes at a multiple of 32), three for 16.
template <size_t kSlices>
HWY_INLINE void Prefetch(const Block<kSlices>& block) {
  hwy::Prefetch(block.presence);
  constexpr size_t kWordsPerLine = 16;
  constexpr size_t kWords = kNumPlanes * kSlices;
  for (size_t i = 0; i < kWords; i += kWordsPerLine) hwy::Prefetch(block.planes + i);
}

// Does the block show every bit of the digest? This is the whole of a query.
template <size_t kSlices>
HWY_INLINE bool ShowsAll(uint64_t digest, const uint32_t* HWY_RESTRICT presence) {
  const SliceTag<kSlices> d;
  auto missing = hn::Zero(d);
  for (size_t s = 0; s < kSlices; s += hn::Lanes(d)) {
    missing = hn::Or(missing, hn::AndNot(LoadPresence(d, presence + s), ProbeMask(d, digest, s)));
  }
  return !AnyBit(d, missing);
}

// Would one more key overflow a counter it marks? True for every key of a promoted block, too: its
// marker looks like 32 full counters in slice 0, so the common path needs this one test only.
template <size_t kSlices>
HWY_INLINE bool HitsFullCounter(uint64_t digest, const uint32_t* HWY_RESTRICT planes) {
  const SliceTag<kSlices> d;
  auto full = hn::Zero(d);
  for (size_t s = 0; s < kSlices; s += hn::Lanes(d)) {
    auto hit = ProbeMask(d, digest, s);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      hit = hn::And(hit, hn::Load(d, planes + p * kSlices + s));
    }
    full = hn::Or(full, hit);
  }
  return AnyBit(d, full);
}

// Adds one to the counter of each position the digest marks: a ripple-carry adder whose wires are
// planes. A position that was empty only becomes present (its excess stays 0).
//
//   carry            = presence & mask        positions that were present already
//   presence         = presence | mask
//   plane p          = plane p ^ carry
//   carry to p + 1   = old plane p & carry    zero after the last plane: HitsFullCounter was false
template <size_t kSlices>
HWY_INLINE void AddKey(uint64_t digest, const Block<kSlices>& block) {
  const SliceTag<kSlices> d;
  for (size_t s = 0; s < kSlices; s += hn::Lanes(d)) {
    const auto mask = ProbeMask(d, digest, s);
    const auto presence = LoadPresence(d, block.presence + s);
    auto carry = hn::And(presence, mask);
    StorePresence(hn::Or(presence, mask), d, block.presence + s);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      uint32_t* plane = block.planes + p * kSlices + s;
      const auto old = hn::Load(d, plane);
      hn::Store(hn::Xor(old, carry), d, plane);
      carry = hn::And(old, carry);
    }
  }
}

// Takes one from each counter the digest marks; all must be present. The mirror image: a counter
// with excess borrows through its planes, a counter of one becomes empty and leaves its planes at
// zero.
//
//   borrow            = mask & (plane 0 | plane 1 | plane 2)     counters above one
//   presence          = presence & ~(mask & ~borrow)             counters of one
//   plane p           = plane p ^ borrow
//   borrow from p + 1 = ~old plane p & borrow
template <size_t kSlices>
HWY_INLINE void TakeKey(uint64_t digest, const Block<kSlices>& block) {
  const SliceTag<kSlices> d;
  for (size_t s = 0; s < kSlices; s += hn::Lanes(d)) {
    const auto mask = ProbeMask(d, digest, s);
    auto excess = hn::Zero(d);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      excess = hn::Or(excess, hn::Load(d, block.planes + p * kSlices + s));
    }
    auto borrow = hn::And(mask, excess);
    const auto emptied = hn::AndNot(excess, mask);
    const auto presence = LoadPresence(d, block.presence + s);
    StorePresence(hn::AndNot(emptied, presence), d, block.presence + s);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      uint32_t* plane = block.planes + p * kSlices + s;
      const auto old = hn::Load(d, plane);
      hn::Store(hn::Xor(old, borrow), d, plane);
      borrow = hn::AndNot(old, borrow);
    }
  }
}

// What became of one key of an update.
enum class Fate { kDone, kSpill, kStop };

// The pipeline of every update: step(i, block) for each key of the run, whose lines were fetched
// kUpdateDistance keys before.
template <size_t kSlices, class Step>
HWY_INLINE Applied ForEachKey(const uint64_t* HWY_RESTRICT digests, const Run& run,
                              const Blocks& blocks, uint32_t* HWY_RESTRICT spilled,
                              const Step& step) {
  const size_t fetch_end = HWY_MAX(run.end, run.fetch_end);
  const size_t lead = HWY_MIN(fetch_end, run.begin + kUpdateDistance);
  for (size_t i = HWY_MAX(run.begin, run.fetched); i < lead; ++i) {
    Prefetch(BlockOf<kSlices>(digests[i], blocks));
  }
  size_t num_spilled = 0;
  for (size_t i = run.begin; i < run.end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < fetch_end)) {
      Prefetch(BlockOf<kSlices>(digests[i + kUpdateDistance], blocks));
    }
    const Fate fate = step(i, BlockOf<kSlices>(digests[i], blocks));
    if (HWY_UNLIKELY(fate != Fate::kDone)) {
      if (fate == Fate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
    }
  }
  return {run.end, num_spilled};
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
