// The plane layout: updates and queries of a key on all slices of its block at once. Included once
// per target.
#if defined(TROMMEL_KERNELS_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_PLANES_INL_H_
#undef TROMMEL_KERNELS_PLANES_INL_H_
#else
#define TROMMEL_KERNELS_PLANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/marks-inl.h"
#include "kernels/plane_block.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {

struct PlaneBlock {
  PlaneBlock(const Blocks& blocks, uint64_t block_idx)
      : presence(blocks.presence + block_idx * kWordSlices),
        planes(blocks.counts + block_idx * kWordSlices * kNumPlanes) {}

  uint32_t* presence;
  uint32_t* planes;
};

// Would one more key overflow one of its counters? True for every key of a promoted block, too: its
// marker is 32 full counters in slice 0, so the common path needs only this test.
HWY_INLINE bool HitsFullCounter(uint64_t digest, const uint32_t* HWY_RESTRICT planes) {
  const SliceTag d;
  auto full = hn::Zero(d);
  for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
    auto hit = ProbeMask(d, digest, s);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      hit = hn::And(hit, hn::Load(d, planes + p * kWordSlices + s));
    }
    full = hn::Or(full, hit);
  }
  return AnyBit(d, full);
}

// Increments the counter of each position the digest marks: a ripple-carry adder whose wires are
// planes. A position that was empty only becomes present (its excess stays 0).
//
//   carry            = presence & mask        positions that were present already
//   presence         = presence | mask
//   plane p          = plane p ^ carry
//   carry to p + 1   = old plane p & carry    zero after the last plane: HitsFullCounter was false
HWY_INLINE void Increment(uint64_t digest, const PlaneBlock& block) {
  const SliceTag d;
  for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
    const auto mask = ProbeMask(d, digest, s);
    const auto presence = LoadPresence(d, block.presence + s);
    auto carry = hn::And(presence, mask);
    StorePresence(hn::Or(presence, mask), d, block.presence + s);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      uint32_t* plane = block.planes + p * kWordSlices + s;
      const auto old = hn::Load(d, plane);
      hn::Store(hn::Xor(old, carry), d, plane);
      carry = hn::And(old, carry);
    }
  }
}

// Decrements the counter of each position the digest marks. Requires that all are present. The
// reverse of Increment: a counter above one borrows through its planes, a counter of one only
// becomes empty (its excess is 0).
//
//   borrow            = mask & (plane 0 | plane 1 | plane 2)     counters above one
//   presence          = presence & ~(mask & ~borrow)             counters of one
//   plane p           = plane p ^ borrow
//   borrow from p + 1 = ~old plane p & borrow
HWY_INLINE void Decrement(uint64_t digest, const PlaneBlock& block) {
  const SliceTag d;
  for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
    const auto mask = ProbeMask(d, digest, s);
    auto excess = hn::Zero(d);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      excess = hn::Or(excess, hn::Load(d, block.planes + p * kWordSlices + s));
    }
    auto borrow = hn::And(mask, excess);
    const auto emptied = hn::AndNot(excess, mask);
    const auto presence = LoadPresence(d, block.presence + s);
    StorePresence(hn::AndNot(emptied, presence), d, block.presence + s);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      uint32_t* plane = block.planes + p * kWordSlices + s;
      const auto old = hn::Load(d, plane);
      hn::Store(hn::Xor(old, borrow), d, plane);
      borrow = hn::AndNot(old, borrow);
    }
  }
}

// The layout that kernels are templates of.
struct Planes {
  using Block = PlaneBlock;
  using Marks = Marks32;
  static constexpr size_t kPresenceStride = kWordSlices;
  static constexpr bool kSpillsFull = false;  // other keys may have space in each of their counters

  static HWY_INLINE Block BlockAt(const Blocks& blocks, uint64_t block_idx) {
    return Block(blocks, block_idx);
  }
  static HWY_INLINE const uint32_t* PresenceAt(const uint32_t* presence, uint64_t block_idx) {
    return presence + block_idx * kPresenceStride;
  }

  // Planes span two lines: any 96 bytes at a multiple of 32 do.
  static HWY_INLINE void Prefetch(const Block& block) {
    hwy::Prefetch(block.presence);
    constexpr size_t kWordsPerLine = 16;
    hwy::Prefetch(block.planes);
    hwy::Prefetch(block.planes + kWordsPerLine);
  }
  static HWY_INLINE void PrefetchPresence(const uint32_t* presence) { hwy::Prefetch(presence); }

  static HWY_INLINE bool ShowsAll(uint64_t digest, const uint32_t* HWY_RESTRICT presence) {
    return Marks(digest).ShownBy(presence);
  }

  static HWY_INLINE OneFate TryInsert(uint64_t digest, const Block& block) {
    if (HWY_UNLIKELY(HitsFullCounter(digest, block.planes))) {
      return IsPromoted(block.planes) ? OneFate::kSpill : OneFate::kStop;
    }
    Increment(digest, block);
    if (HWY_UNLIKELY(IsPromoted(block.planes))) {
      // 256 keys fill every counter of slice 0, and that state is the marker. Queries may have seen
      // bits of this key meanwhile, which is about to be inserted anyway.
      Decrement(digest, block);
      return OneFate::kStop;
    }
    return OneFate::kDone;
  }

  static HWY_INLINE OneFate TryErase(uint64_t digest, const Block& block) {
    if (HWY_UNLIKELY(IsPromoted(block.planes))) return OneFate::kSpill;
    Decrement(digest, block);
    return OneFate::kDone;
  }
};

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
