// XXH64 and XXH3 of fixed-width integers, one key per lane. The algorithms are xxHash's
// (doc/xxhash_spec.md: "XXH64", the path for inputs under 32 bytes, and "XXH3", that for 4 to 8
// bytes); tests compare them with the library's.
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

// What the seed and the default secret's bytes 8 to 23 contribute to keys of 4 to 8 bytes.
HWY_INLINE uint64_t Xxh3BitFlip(uint64_t seed) {
  constexpr uint64_t kSecret8 = 0x1CAD21F72C81017CULL;
  constexpr uint64_t kSecret16 = 0xDB979083E96DD4DEULL;
  const uint64_t low = seed & 0xffffffffU;
  const uint64_t swapped =
      (low >> 24) | (low >> 8 & 0xff00U) | (low & 0xff00U) << 8 | (low & 0xffU) << 24;
  return (kSecret8 ^ kSecret16) - (seed ^ swapped << 32);
}

// Each lane: the XXH3 of one key of 4 to 8 bytes, given as its first and its last 4 bytes:
// first x 2^32 + last.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Xxh3OfHalves(D d, V halves, V num_bytes, uint64_t bit_flip) {
  const V prime = hn::Set(d, uint64_t{0x9FB21C651E98DF25ULL});
  V h = hn::Xor(halves, hn::Set(d, bit_flip));
  h = hn::Mul(hn::Xor(h, hn::Xor(RotateLeftBy<49>(h), RotateLeftBy<24>(h))), prime);
  h = hn::Mul(hn::Xor(h, hn::Add(hn::ShiftRight<35>(h), num_bytes)), prime);
  return hn::Xor(h, hn::ShiftRight<28>(h));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Xxh3OfInt64(D d, V key, uint64_t bit_flip) {
  return Xxh3OfHalves(d, RotateLeftBy<32>(key), hn::Set(d, uint64_t{8}), bit_flip);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Xxh3OfInt32(D d, V key, uint64_t bit_flip) {
  return Xxh3OfHalves(d, hn::Or(key, hn::ShiftLeft<32>(key)), hn::Set(d, uint64_t{4}), bit_flip);
}

// hash(d, vector of keys) for all keys; the last ones one by one.
template <class Hash>
HWY_INLINE void HashAll(const uint64_t* HWY_RESTRICT keys, size_t num_keys,
                        uint64_t* HWY_RESTRICT digests, const Hash& hash) {
  const hn::ScalableTag<uint64_t> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= num_keys; i += lanes) {
    hn::StoreU(hash(d, hn::LoadU(d, keys + i)), d, digests + i);
  }
  const hn::CappedTag<uint64_t, 1> one;
  for (; i < num_keys; ++i) hn::StoreU(hash(one, hn::LoadU(one, keys + i)), one, digests + i);
}

// The same for 4-byte keys, zero-extended.
template <class Hash>
HWY_INLINE void HashAll(const uint32_t* HWY_RESTRICT keys, size_t num_keys,
                        uint64_t* HWY_RESTRICT digests, const Hash& hash) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Rebind<uint32_t, decltype(d)> half;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= num_keys; i += lanes) {
    hn::StoreU(hash(d, hn::PromoteTo(d, hn::LoadU(half, keys + i))), d, digests + i);
  }
  const hn::CappedTag<uint64_t, 1> one;
  for (; i < num_keys; ++i) {
    hn::StoreU(hash(one, hn::Set(one, uint64_t{keys[i]})), one, digests + i);
  }
}

void Xxh64Int64(const uint64_t* keys, size_t num_keys, uint64_t seed, uint64_t* digests) {
  HashAll(keys, num_keys, digests,
          [seed](auto d, auto key) HWY_ATTR { return Xxh64OfInt64(d, key, seed); });
}

void Xxh64Int32(const uint32_t* keys, size_t num_keys, uint64_t seed, uint64_t* digests) {
  HashAll(keys, num_keys, digests,
          [seed](auto d, auto key) HWY_ATTR { return Xxh64OfInt32(d, key, seed); });
}

void Xxh3Int64(const uint64_t* keys, size_t num_keys, uint64_t seed, uint64_t* digests) {
  const uint64_t bit_flip = Xxh3BitFlip(seed);
  HashAll(keys, num_keys, digests,
          [bit_flip](auto d, auto key) HWY_ATTR { return Xxh3OfInt64(d, key, bit_flip); });
}

void Xxh3Int32(const uint32_t* keys, size_t num_keys, uint64_t seed, uint64_t* digests) {
  const uint64_t bit_flip = Xxh3BitFlip(seed);
  HashAll(keys, num_keys, digests,
          [bit_flip](auto d, auto key) HWY_ATTR { return Xxh3OfInt32(d, key, bit_flip); });
}

}  // namespace

void AddHashForTarget(KernelTable& kernels) {
  kernels.hash.xxh64_int64 = &Xxh64Int64;
  kernels.hash.xxh64_int32 = &Xxh64Int32;
  kernels.hash.xxh3_int64 = &Xxh3Int64;
  kernels.hash.xxh3_int32 = &Xxh3Int32;
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
