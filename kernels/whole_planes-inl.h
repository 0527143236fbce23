// Operations on whole filters of planes, block by block: tally, merge, subtract, fold.
#if defined(TROMMEL_KERNELS_WHOLE_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_WHOLE_PLANES_INL_H_
#undef TROMMEL_KERNELS_WHOLE_PLANES_INL_H_
#else
#define TROMMEL_KERNELS_WHOLE_PLANES_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

Tally TallyBlocks(const Blocks& blocks, uint64_t begin, uint64_t end) {
  const SliceTag d;
  Tally tally;
  HWY_ALIGN uint32_t counts[kWordSlices];
  for (uint64_t b = begin; b < end; ++b) {
    const PlaneBlock block(blocks, b);
    for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
      hn::Store(hn::PopulationCount(hn::Load(d, block.presence + s)), d, counts + s);
    }
    uint64_t product = 1;  // at most 32^8 = 2^40
    for (const uint32_t count : counts) {
      tally.num_present += count;
      product *= count;
    }
    tally.product_sum += product;
    tally.num_promoted += IsPromoted(block.planes) ? 1 : 0;
  }
  return tally;
}

// The sum of blocks a and b. Returns false if either is promoted or the sum must be; `sum` is then
// unchanged, because its planes are computed in a buffer first.
//
// Counts are presence + excess. Where both are present, the presence of one becomes a carry into
// the sum of the excesses: c_a + c_b - 1 = e_a + e_b + 1. A full adder per plane:
//
//   carry   = presence a & presence b
//   sum p   = a ^ b ^ carry;     carry to p + 1 = (a & b) | (carry & (a ^ b))
HWY_INLINE bool AddBlocks(const PlaneBlock& a, const PlaneBlock& b, const PlaneBlock& sum) {
  if (HWY_UNLIKELY(IsPromoted(a.planes) || IsPromoted(b.planes))) return false;
  const SliceTag d;
  HWY_ALIGN uint32_t planes[kNumPlanes * kWordSlices];
  auto overflow = hn::Zero(d);
  for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
    auto carry = hn::And(hn::Load(d, a.presence + s), hn::Load(d, b.presence + s));
    for (size_t p = 0; p < kNumPlanes; ++p) {
      const auto a_plane = hn::Load(d, a.planes + p * kWordSlices + s);
      const auto b_plane = hn::Load(d, b.planes + p * kWordSlices + s);
      const auto differ = hn::Xor(a_plane, b_plane);
      hn::Store(hn::Xor(differ, carry), d, planes + p * kWordSlices + s);
      carry = hn::Or(hn::And(a_plane, b_plane), hn::And(carry, differ));
    }
    overflow = hn::Or(overflow, carry);
  }
  if (HWY_UNLIKELY(AnyBit(d, overflow) || IsPromoted(planes))) return false;
  for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
    const auto either = hn::Or(hn::Load(d, a.presence + s), hn::Load(d, b.presence + s));
    hn::Store(either, d, sum.presence + s);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      hn::Store(hn::Load(d, planes + p * kWordSlices + s), d, sum.planes + p * kWordSlices + s);
    }
  }
  return true;
}

uint64_t Merge(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end) {
  for (uint64_t b = begin; b < end; ++b) {
    const PlaneBlock sum(into, b);
    if (HWY_UNLIKELY(!AddBlocks(sum, PlaneBlock(from, b), sum))) return b;
  }
  return end;
}

uint64_t Fold(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end) {
  for (uint64_t b = begin; b < end; ++b) {
    const PlaneBlock low(from, 2 * b);
    const PlaneBlock high(from, 2 * b + 1);
    if (HWY_UNLIKELY(!AddBlocks(low, high, PlaneBlock(into, b)))) return b;
  }
  return end;
}

// Is every counter of a at least that of b?
HWY_INLINE bool CanSubtractBlock(const PlaneBlock& a, const PlaneBlock& b) {
  if (HWY_UNLIKELY(IsPromoted(a.planes) || IsPromoted(b.planes))) return false;
  const SliceTag d;
  auto below = hn::Zero(d);
  for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
    below = hn::Or(below, hn::AndNot(hn::Load(d, a.presence + s), hn::Load(d, b.presence + s)));
    auto borrow = hn::Zero(d);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      const auto a_plane = hn::Load(d, a.planes + p * kWordSlices + s);
      const auto b_plane = hn::Load(d, b.planes + p * kWordSlices + s);
      const auto same = hn::Not(hn::Xor(a_plane, b_plane));
      borrow = hn::Or(hn::AndNot(a_plane, b_plane), hn::And(same, borrow));
    }
    below = hn::Or(below, borrow);
  }
  return !AnyBit(d, below);
}

// a -= b. Requires CanSubtractBlock. Where b is present, the difference of the excesses is the
// difference of the counts: at zero the position becomes empty, else one is subtracted for a's own
// presence.
HWY_INLINE void SubtractBlock(const PlaneBlock& a, const PlaneBlock& b) {
  const SliceTag d;
  for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
    auto borrow = hn::Zero(d);
    auto left = hn::Zero(d);  // positions whose counts differ
    for (size_t p = 0; p < kNumPlanes; ++p) {
      uint32_t* plane = a.planes + p * kWordSlices + s;
      const auto a_plane = hn::Load(d, plane);
      const auto b_plane = hn::Load(d, b.planes + p * kWordSlices + s);
      const auto differ = hn::Xor(a_plane, b_plane);
      const auto difference = hn::Xor(differ, borrow);
      borrow = hn::Or(hn::AndNot(a_plane, b_plane), hn::AndNot(differ, borrow));
      left = hn::Or(left, difference);
      hn::Store(difference, d, plane);
    }
    const auto b_presence = hn::Load(d, b.presence + s);
    const auto emptied = hn::AndNot(left, b_presence);
    hn::Store(hn::AndNot(emptied, hn::Load(d, a.presence + s)), d, a.presence + s);
    borrow = hn::And(left, b_presence);
    for (size_t p = 0; p < kNumPlanes; ++p) {
      uint32_t* plane = a.planes + p * kWordSlices + s;
      const auto old = hn::Load(d, plane);
      hn::Store(hn::Xor(old, borrow), d, plane);
      borrow = hn::AndNot(old, borrow);
    }
  }
}

uint64_t CanSubtract(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end) {
  for (uint64_t b = begin; b < end; ++b) {
    if (HWY_UNLIKELY(!CanSubtractBlock(PlaneBlock(into, b), PlaneBlock(from, b)))) return b;
  }
  return end;
}

uint64_t Subtract(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end) {
  for (uint64_t b = begin; b < end; ++b) {
    const PlaneBlock a(into, b);
    const PlaneBlock taken(from, b);
    if (HWY_UNLIKELY(!CanSubtractBlock(a, taken))) return b;
    SubtractBlock(a, taken);
  }
  return end;
}

}  // namespace

void AddWholePlanesForTarget(KernelTable& kernels) {
  kernels.planes.tally = &TallyBlocks;
  kernels.planes.merge = &Merge;
  kernels.planes.fold = &Fold;
  kernels.planes.subtract = &Subtract;
  kernels.planes.can_subtract = &CanSubtract;
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
