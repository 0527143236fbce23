// SipHash-1-3 of many keys, one key per lane (siphash.h has the algorithm, and why it is this one).
// Included once per target.
//
// Two vectors of keys take turns, because each addition and rotation waits for the one before. The
// strings of a group need not have equally many words of 8 bytes: all lanes go on to the longest
// one's end, and a lane's state is kept aside when its last word has come.
//
//   words of    a   a0 a1 aL  .  .        aL: the last one, with the length
//   strings     b   b0 b1 b2 b3 bL
//   in lanes    c   c0 cL  .  .  .        . : bytes of the string again, not used
//               ---- fewest ----^ from here on states are kept aside
//
// (Sorting strings by their number of words first, so that the lanes of a group end together, took
// 9 to 12 ns per key of 16 to 64 bytes where this takes 5 to 9: AMD EPYC, AVX3_DL.)
#if defined(TROMMEL_KERNELS_SIPHASH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_SIPHASH_INL_H_
#undef TROMMEL_KERNELS_SIPHASH_INL_H_
#else
#define TROMMEL_KERNELS_SIPHASH_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/siphash.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// A vector of keys, no longer than a cache line.
using SipTag = hn::CappedTag<uint64_t, 8>;
using SipVector = hn::Vec<SipTag>;
inline constexpr size_t kMaxSipLanes = hn::MaxLanes(SipTag());
// With fewer lanes one key after the other is faster (SSE4: 8 to 19 ns per key of 8 to 64 bytes, in
// lanes 10 to 21).
inline constexpr bool kHasSipLanes = kMaxSipLanes >= 4;

template <int kBits>
HWY_INLINE SipVector SipRotateLeft(SipVector v) {
  return hn::RotateRight<64 - kBits>(v);
}

// By 32 bits: the halves of each word change places.
HWY_INLINE SipVector SipSwapHalves(SipVector v) {
#if HWY_TARGET == HWY_SCALAR
  return SipRotateLeft<32>(v);
#else
  const hn::Repartition<uint32_t, SipTag> halves;
  return hn::BitCast(SipTag(), hn::Reverse2(halves, hn::BitCast(halves, v)));
#endif
}

HWY_INLINE void SipRound(SipVector& v0, SipVector& v1, SipVector& v2, SipVector& v3) {
  v0 = hn::Add(v0, v1);
  v2 = hn::Add(v2, v3);
  v1 = hn::Xor(SipRotateLeft<13>(v1), v0);
  v3 = hn::Xor(SipRotateLeft<16>(v3), v2);
  v0 = SipSwapHalves(v0);
  v2 = hn::Add(v2, v1);
  v0 = hn::Add(v0, v3);
  v1 = hn::Xor(SipRotateLeft<17>(v1), v2);
  v3 = hn::Xor(SipRotateLeft<21>(v3), v0);
  v2 = SipSwapHalves(v2);
}

// The groups of 2 x Lanes keys that `words` has: words.Load(w, i) is word w of the keys of vector
// i, for w up to words.most. Up to words.fewest no key ends; from then on words.Ends(w, i) tells
// which do, with this word.
template <class Words>
HWY_INLINE void SipHashGroup(const Words& words, const uint64_t* secret,
                             uint64_t* HWY_RESTRICT digests) {
  const SipTag d;
  SipVector a0 = hn::Set(d, secret[0] ^ kSipInit[0]);
  SipVector a1 = hn::Set(d, secret[1] ^ kSipInit[1]);
  SipVector a2 = hn::Set(d, secret[0] ^ kSipInit[2]);
  SipVector a3 = hn::Set(d, secret[1] ^ kSipInit[3]);
  SipVector b0 = a0;
  SipVector b1 = a1;
  SipVector b2 = a2;
  SipVector b3 = a3;
  const auto compress = [&](SipVector a, SipVector b) HWY_ATTR {
    a3 = hn::Xor(a3, a);
    b3 = hn::Xor(b3, b);
    SipRound(a0, a1, a2, a3);
    SipRound(b0, b1, b2, b3);
    a0 = hn::Xor(a0, a);
    b0 = hn::Xor(b0, b);
  };
  for (size_t w = 0; w < words.fewest; ++w) compress(words.Load(w, 0), words.Load(w, 1));
  SipVector a0_kept = a0;
  SipVector a1_kept = a1;
  SipVector a2_kept = a2;
  SipVector a3_kept = a3;
  SipVector b0_kept = b0;
  SipVector b1_kept = b1;
  SipVector b2_kept = b2;
  SipVector b3_kept = b3;
  for (size_t w = words.fewest; w <= words.most; ++w) {
    compress(words.LoadEnding(w, 0), words.LoadEnding(w, 1));
    const auto a_ends = words.Ends(w, 0);
    const auto b_ends = words.Ends(w, 1);
    a0_kept = hn::IfThenElse(a_ends, a0, a0_kept);
    a1_kept = hn::IfThenElse(a_ends, a1, a1_kept);
    a2_kept = hn::IfThenElse(a_ends, a2, a2_kept);
    a3_kept = hn::IfThenElse(a_ends, a3, a3_kept);
    b0_kept = hn::IfThenElse(b_ends, b0, b0_kept);
    b1_kept = hn::IfThenElse(b_ends, b1, b1_kept);
    b2_kept = hn::IfThenElse(b_ends, b2, b2_kept);
    b3_kept = hn::IfThenElse(b_ends, b3, b3_kept);
  }
  const SipVector end = hn::Set(d, uint64_t{0xff});
  a2_kept = hn::Xor(a2_kept, end);
  b2_kept = hn::Xor(b2_kept, end);
  for (int i = 0; i < 3; ++i) {
    SipRound(a0_kept, a1_kept, a2_kept, a3_kept);
    SipRound(b0_kept, b1_kept, b2_kept, b3_kept);
  }
  const SipVector a = hn::Xor(hn::Xor(a0_kept, a1_kept), hn::Xor(a2_kept, a3_kept));
  const SipVector b = hn::Xor(hn::Xor(b0_kept, b1_kept), hn::Xor(b2_kept, b3_kept));
  hn::StoreU(a, d, digests);
  hn::StoreU(b, d, digests + hn::Lanes(d));
}

// --- Integers.

// A word of the key, and the last one, which is the length.
struct SipInt64 {
  static constexpr size_t fewest = 1;
  static constexpr size_t most = 1;

  HWY_INLINE SipVector Load(size_t /*w*/, size_t i) const {
    return hn::LoadU(SipTag(), keys + i * hn::Lanes(SipTag()));
  }
  HWY_INLINE SipVector LoadEnding(size_t /*w*/, size_t /*i*/) const {
    return hn::Set(SipTag(), uint64_t{8} << 56);
  }
  HWY_INLINE hn::Mask<SipTag> Ends(size_t /*w*/, size_t /*i*/) const {
    return hn::FirstN(SipTag(), hn::Lanes(SipTag()));
  }

  const uint64_t* keys;
};

// One word, of key and length.
struct SipInt32 {
  static constexpr size_t fewest = 0;
  static constexpr size_t most = 0;

  HWY_INLINE SipVector Load(size_t w, size_t i) const { return LoadEnding(w, i); }
  HWY_INLINE SipVector LoadEnding(size_t /*w*/, size_t i) const {
    const SipTag d;
    const hn::Rebind<uint32_t, SipTag> half;
    const auto key = hn::PromoteTo(d, hn::LoadU(half, keys + i * hn::Lanes(d)));
    return hn::Or(key, hn::Set(d, uint64_t{4} << 56));
  }
  HWY_INLINE hn::Mask<SipTag> Ends(size_t /*w*/, size_t /*i*/) const {
    return hn::FirstN(SipTag(), hn::Lanes(SipTag()));
  }

  const uint32_t* keys;
};

template <class Words, class T>
HWY_INLINE void SipHashIntegers(const T* HWY_RESTRICT keys, size_t num_keys, const uint64_t* secret,
                                uint64_t* HWY_RESTRICT digests) {
  const size_t group = 2 * hn::Lanes(SipTag());
  size_t i = 0;
  for (; kHasSipLanes && i + group <= num_keys; i += group)
    SipHashGroup(Words{keys + i}, secret, digests + i);
  for (; i < num_keys; ++i) digests[i] = SipHash13({secret[0], secret[1]}, keys + i, sizeof(T));
}

void SipHashInt64(const uint64_t* keys, size_t num_keys, const uint64_t* secret,
                  uint64_t* digests) {
  SipHashIntegers<SipInt64>(keys, num_keys, secret, digests);
}

void SipHashInt32(const uint32_t* keys, size_t num_keys, const uint64_t* secret,
                  uint64_t* digests) {
  SipHashIntegers<SipInt32>(keys, num_keys, secret, digests);
}

// --- Strings.

// Strings of one group may differ by so many words: else they are hashed one by one, so that a few
// long ones among short ones do not cost a vector each.
inline constexpr size_t kMaxSipSpread = 16;

struct SipStrings {
  static constexpr size_t kMax = 2 * kMaxSipLanes;

  HWY_INLINE void Set(size_t k, const ByteView& view) {
    static constexpr unsigned char kNoWord[8] = {};
    const bool has_word = view.num_bytes >= 8;
    const size_t num_whole_words = view.num_bytes / 8;
    addresses[k] = reinterpret_cast<uintptr_t>(has_word ? view.bytes : kNoWord);
    last_offsets[k] = has_word ? view.num_bytes - 8 : 0;
    last_words[k] = LastSipWord(view.bytes, view.num_bytes);
    num_whole[k] = num_whole_words;
    fewest = HWY_MIN(fewest, num_whole_words);
    most = HWY_MAX(most, num_whole_words);
  }

  // No byte outside of the strings is read.
  HWY_INLINE SipVector Load(size_t w, size_t i) const {
    const SipTag d;
    const size_t at = i * hn::Lanes(d);
    const auto offset = hn::Min(hn::Set(d, uint64_t{8} * w), hn::Load(d, last_offsets + at));
    const auto address = hn::Add(hn::Load(d, addresses + at), offset);
    return hn::GatherOffset(d, static_cast<const uint64_t*>(nullptr),
                            hn::BitCast(hn::RebindToSigned<SipTag>(), address));
  }
  HWY_INLINE SipVector LoadEnding(size_t w, size_t i) const {
    const SipTag d;
    const auto last = hn::Load(d, last_words + i * hn::Lanes(d));
    return hn::IfThenElse(Ends(w, i), last, Load(w, i));
  }
  HWY_INLINE hn::Mask<SipTag> Ends(size_t w, size_t i) const {
    const SipTag d;
    return hn::Eq(hn::Load(d, num_whole + i * hn::Lanes(d)), hn::Set(d, uint64_t{w}));
  }

  size_t fewest = ~size_t{0};
  size_t most = 0;
  HWY_ALIGN uint64_t addresses[kMax];
  HWY_ALIGN uint64_t last_offsets[kMax];  // of the last 8 bytes
  HWY_ALIGN uint64_t last_words[kMax];
  HWY_ALIGN uint64_t num_whole[kMax];  // words before the last one
};

// Requires at most a group of keys.
HWY_INLINE void SipHashOneByOne(const ByteView* views, size_t num_keys, const uint64_t* secret,
                                uint64_t* HWY_RESTRICT digests) {
  for (size_t k = 0; k < num_keys; ++k) {
    digests[k] = SipHash13({secret[0], secret[1]}, views[k].bytes, views[k].num_bytes);
  }
}

void SipHashViews(const ByteView* views, size_t num_keys, const uint64_t* secret,
                  uint64_t* HWY_RESTRICT digests) {
  const size_t group = 2 * hn::Lanes(SipTag());
  size_t i = 0;
  for (; kHasSipLanes && i + group <= num_keys; i += group) {
    SipStrings strings;
    for (size_t k = 0; k < group; ++k) strings.Set(k, views[i + k]);
    if (HWY_LIKELY(strings.most - strings.fewest <= kMaxSipSpread)) {
      SipHashGroup(strings, secret, digests + i);
    } else {
      SipHashOneByOne(views + i, group, secret, digests + i);
    }
  }
  SipHashOneByOne(views + i, num_keys - i, secret, digests + i);
}

}  // namespace

void AddSipHashForTarget(KernelTable& kernels) {
  kernels.hash.siphash_int64 = &SipHashInt64;
  kernels.hash.siphash_int32 = &SipHashInt32;
  kernels.hash.siphash_views = &SipHashViews;
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
