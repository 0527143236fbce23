// XXH64 of fixed-width integers, one key per lane. The algorithm is xxHash's (doc/xxhash_spec.md,
// "XXH64", the path for inputs under 32 bytes); tests compare it with the library's.
#if defined(TROMMEL_KERNELS_HASH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_HASH_INL_H_
#undef TROMMEL_KERNELS_HASH_INL_H_
#else
#define TROMMEL_KERNELS_HASH_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// xxHash's primes.
inline constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
inline constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
inline constexpr uint64_t kPrime3 = 0x165667B19E3779F9ULL;
inline constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
inline constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;

template <int kBits, class V>
HWY_INLINE V RotateLeftBy(V v) {
  return hn::RotateRight<64 - kBits>(v);
}

// The final mixing of XXH64.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Avalanche(D d, V h) {
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<33>(h)), hn::Set(d, kPrime2));
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<29>(h)), hn::Set(d, kPrime3));
  return hn::Xor(h, hn::ShiftRight<32>(h));
}

// Each lane: the XXH64 of one 8-byte key.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Xxh64OfInt64(D d, V key, uint64_t seed) {
  const V round = hn::Mul(RotateLeftBy<31>(hn::Mul(key, hn::Set(d, kPrime2))), hn::Set(d, kPrime1));
  const V h = hn::Xor(hn::Set(d, seed + kPrime5 + 8), round);
  return Avalanche(d,
                   hn::Add(hn::Mul(RotateLeftBy<27>(h), hn::Set(d, kPrime1)), hn::Set(d, kPrime4)));
}

// Each lane: the XXH64 of one 4-byte key, zero-extended.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Xxh64OfInt32(D d, V key, uint64_t seed) {
  const V h = hn::Xor(hn::Set(d, seed + kPrime5 + 4), hn::Mul(key, hn::Set(d, kPrime1)));
  return Avalanche(d,
                   hn::Add(hn::Mul(RotateLeftBy<23>(h), hn::Set(d, kPrime2)), hn::Set(d, kPrime3)));
}

void HashInt64(const uint64_t* HWY_RESTRICT keys, size_t num_keys, uint64_t seed,
               uint64_t* HWY_RESTRICT digests) {
  const hn::ScalableTag<uint64_t> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= num_keys; i += lanes) {
    hn::StoreU(Xxh64OfInt64(d, hn::LoadU(d, keys + i), seed), d, digests + i);
  }
  const hn::CappedTag<uint64_t, 1> one;
  for (; i < num_keys; ++i) {
    hn::StoreU(Xxh64OfInt64(one, hn::LoadU(one, keys + i), seed), one, digests + i);
  }
}

void HashInt32(const uint32_t* HWY_RESTRICT keys, size_t num_keys, uint64_t seed,
               uint64_t* HWY_RESTRICT digests) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Rebind<uint32_t, decltype(d)> half;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= num_keys; i += lanes) {
    const auto wide = hn::PromoteTo(d, hn::LoadU(half, keys + i));
    hn::StoreU(Xxh64OfInt32(d, wide, seed), d, digests + i);
  }
  const hn::CappedTag<uint64_t, 1> one;
  for (; i < num_keys; ++i) {
    hn::StoreU(Xxh64OfInt32(one, hn::Set(one, uint64_t{keys[i]}), seed), one, digests + i);
  }
}

}  // namespace

void AddHashForTarget(KernelTable& kernels) {
  kernels.hash.xxh64_int64 = &HashInt64;
  kernels.hash.xxh64_int32 = &HashInt32;
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
