// Double hashing, one digest per lane of 64 bits: positions as classic_array.h defines them.
// Included once per target.
//
// A lane is the state of a digest's hashes. Adding the low half to the high half advances to the
// next hash:
//
//   state    | f1 + i f2 | f2 |   +   | f2 | 0 |   =   | f1 + (i + 1) f2 | f2 |
#if defined(TROMMEL_KERNELS_HASHES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_HASHES_INL_H_
#undef TROMMEL_KERNELS_HASHES_INL_H_
#else
#define TROMMEL_KERNELS_HASHES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The 64-bit product of the low halves.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V MultiplyLow([[maybe_unused]] D d, V a, V b) {
#if HWY_TARGET == HWY_SCALAR  // one lane is no pair of 32-bit lanes
  const V low = hn::Set(d, 0xffffffffU);
  return hn::Mul(hn::And(a, low), hn::And(b, low));
#else
  const hn::Repartition<uint32_t, D> half;
  return hn::MulEven(hn::BitCast(half, a), hn::BitCast(half, b));
#endif
}

// ClassicMix of the low halves. Requires high halves of zero in h; those of the result are zero.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Mix(D d, V h) {
  const V low = hn::Set(d, 0xffffffffU);
  h = hn::Xor(h, hn::ShiftRight<16>(h));
  h = hn::And(MultiplyLow(d, h, hn::Set(d, 0x85ebca6bU)), low);
  h = hn::Xor(h, hn::ShiftRight<13>(h));
  h = hn::And(MultiplyLow(d, h, hn::Set(d, 0xc2b2ae35U)), low);
  return hn::Xor(h, hn::ShiftRight<16>(h));
}

// Positions of the states' current hash.
template <bool kMixed, class D, class V = hn::Vec<D>>
HWY_INLINE V PositionsOf(D d, V state, V num_positions) {
  V hash = hn::ShiftRight<32>(state);
  if constexpr (kMixed) hash = Mix(d, hash);
  return hn::ShiftRight<32>(MultiplyLow(d, hash, num_positions));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V FirstState(D d, V digests) {
  return hn::Or(digests, hn::Set(d, 1));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V NextState(D /*d*/, V state) {
  return hn::Add(state, hn::ShiftLeft<32>(state));
}

// The state of hash hash_idx, from the digests.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V StateOf(D d, V digests, V hash_idx) {
  const V first = FirstState(d, digests);
  return hn::Add(first, hn::ShiftLeft<32>(MultiplyLow(d, first, hash_idx)));
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TROMMEL_KERNELS_HASHES_INL_H_
