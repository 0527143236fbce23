// XXH3 (64 bits, with a seed) of many strings, one key per lane. The algorithm is xxHash's
// (doc/xxhash_spec.md: "XXH3", the paths for inputs of 4 to 128 bytes); tests compare it with the
// library's. Included once per target.
//
// The shorter a key, the fewer blocks of 16 bytes are mixed: keys are sorted by how many. The lanes
// of a vector take keys of one class, whose blocks are read from both ends, so that no byte outside
// of a key is. A vector of each two words, with keys a, b, c, .. in lanes:
//
//   a key of 33 to 64 bytes      | head 0 | head 1 | . . . | tail 1 | tail 0 |    (may overlap)
//   head 0 of a, c and of b, d   | a0 a1 | c0 c1 |   | b0 b1 | d0 d1 |
//   interleaved                  | a0 b0 | c0 d0 |   | a1 b1 | c1 d1 |
//
// Lengths of real keys are hard to predict: one key after the other takes twice the time on them
// that it takes on keys of one length, and the classes here take the same. Without AVX-512 sorting
// costs more than that: no instruction moves chosen lanes together.
#if defined(TROMMEL_KERNELS_XXH3_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_XXH3_INL_H_
#undef TROMMEL_KERNELS_XXH3_INL_H_
#else
#define TROMMEL_KERNELS_XXH3_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/hash-inl.h"
#include "kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
#if HWY_TARGET <= HWY_AVX3
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// xxHash's default secret, as far as keys of up to 128 bytes use it.
inline constexpr uint64_t kXxh3Secret[16] = {
    0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
    0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,
    0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
    0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8};

using Xxh3Tag = hn::ScalableTag<uint64_t>;
using Xxh3Vector = hn::Vec<Xxh3Tag>;
using Xxh3BlockTag = hn::CappedTag<uint64_t, 2>;
using Xxh3Block = hn::Vec<Xxh3BlockTag>;
inline constexpr size_t kXxh3Lanes = hn::MaxLanes(Xxh3Tag());

inline constexpr size_t kXxh3Classes = 6;  // 4 to 8 bytes, to 16, to 32, to 64, to 96, to 128

// So many keys are sorted at a time: they are still in the first-level cache when hashed.
inline constexpr size_t kXxh3SortedKeys = 512;

struct Xxh3Sorted {
  using D = hn::ScalableTag<uint32_t>;
  static constexpr size_t kRoom = kXxh3SortedKeys + hn::MaxLanes(D());  // for whole vectors

  // Without a branch per key.
  HWY_INLINE void Sort(const ByteView* HWY_RESTRICT views, size_t num_keys) {
    constexpr uint32_t kLongest = 128;
    HWY_ALIGN uint32_t sizes[kRoom];
    for (size_t i = 0; i < num_keys; ++i) {
      hwy::Prefetch(views[i].bytes);
      sizes[i] = static_cast<uint32_t>(HWY_MIN(views[i].num_bytes, size_t{kLongest} + 1));
    }
    const D d;
    const size_t lanes = hn::Lanes(d);
    for (size_t i = num_keys; i % lanes != 0; ++i) sizes[i] = 0;
    auto at = hn::Iota(d, 0);
    for (size_t i = 0; i < num_keys; i += lanes) {
      const auto size = hn::Load(d, sizes + i);
      const auto one = hn::Set(d, uint32_t{1});
      const auto beyond = [&](uint32_t limit) HWY_ATTR {
        return hn::IfThenElseZero(hn::Gt(size, hn::Set(d, limit)), one);
      };
      auto length_class = hn::Add(beyond(8), hn::Add(beyond(16), beyond(32)));
      length_class = hn::Add(length_class, hn::Add(beyond(64), beyond(96)));
      const auto is_other =
          hn::Or(hn::Lt(size, hn::Set(d, uint32_t{4})), hn::Gt(size, hn::Set(d, kLongest)));
      length_class = hn::IfThenElse(is_other, hn::Set(d, uint32_t{kXxh3Classes}), length_class);
      for (uint32_t c = 0; c <= kXxh3Classes; ++c) {
        const auto is_c = hn::Eq(length_class, hn::Set(d, c));
        hn::StoreU(hn::Compress(at, is_c), d, indexes[c] + num[c]);
        num[c] += hn::CountTrue(d, is_c);
      }
      at = hn::Add(at, hn::Set(d, static_cast<uint32_t>(lanes)));
    }
    num[kXxh3Classes] -= (lanes - num_keys % lanes) % lanes;  // what filled the last vector
  }

  size_t num[kXxh3Classes + 1] = {};
  HWY_ALIGN uint32_t indexes[kXxh3Classes + 1][kRoom];  // ascending; last, keys of no class
};

// The keys of a vector.
struct Xxh3Keys {
  HWY_INLINE const unsigned char* Begin(size_t k) const { return views[indexes[k]].bytes; }
  HWY_INLINE size_t Size(size_t k) const { return views[indexes[k]].num_bytes; }
  HWY_INLINE const unsigned char* End(size_t k) const { return Begin(k) + Size(k); }

  const ByteView* HWY_RESTRICT views;
  const uint32_t* HWY_RESTRICT indexes;
};

template <class T>
HWY_INLINE T LoadBytes(const unsigned char* bytes) {
  T word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

HWY_INLINE Xxh3Block LoadBlock(const void* bytes) {
  const hn::Repartition<uint8_t, Xxh3BlockTag> d;
  return hn::BitCast(Xxh3BlockTag(), hn::LoadU(d, static_cast<const uint8_t*>(bytes)));
}

// load(first), load(first + 2), .. side by side: as many blocks as the vector has.
template <class D, class Load>
HWY_INLINE hn::Vec<D> EverySecondBlock(D d, size_t first, const Load& load) {
  constexpr size_t kBlocks = hn::MaxLanes(d) / 2;
  if constexpr (kBlocks == 1) {
    return load(first);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, EverySecondBlock(half, first + kBlocks, load),
                       EverySecondBlock(half, first, load));
  }
}

struct Xxh3Words {
  Xxh3Vector first;
  Xxh3Vector second;
};

// Lane k: the words of block load(k).
template <class Load>
HWY_INLINE Xxh3Words WordsOfBlocks(const Load& load) {
  const Xxh3Tag d;
  const Xxh3Vector even = EverySecondBlock(d, 0, load);
  const Xxh3Vector odd = EverySecondBlock(d, 1, load);
  return {hn::InterleaveLower(d, even, odd), hn::InterleaveUpper(d, even, odd)};
}

HWY_INLINE Xxh3Vector Sizes(const Xxh3Keys& keys) {
  static_assert(sizeof(ByteView) == 2 * sizeof(uint64_t), "the second word is the size");
  return WordsOfBlocks([&](size_t k) HWY_ATTR { return LoadBlock(&keys.views[keys.indexes[k]]); })
      .second;
}

// The halves of the products of 128 bits, xored. Of products of halves:
//
//   low x low     l               | . | l |         (32 bits between the bars)
//   low x high    m           | . | m |
//   high x low    n           | . | n |             n + (low half of m) + (high half of l)
//   high x high   h       | . | h |                 fits 64 bits
HWY_INLINE Xxh3Vector FoldedProduct(Xxh3Vector a, Xxh3Vector b) {
  const Xxh3Tag d;
  const hn::Repartition<uint32_t, Xxh3Tag> half;
  const auto product = [&](Xxh3Vector x, Xxh3Vector y) HWY_ATTR {
    return hn::MulEven(hn::BitCast(half, x), hn::BitCast(half, y));
  };
  const Xxh3Vector low_half = hn::Set(d, uint64_t{0xffffffff});
  const Xxh3Vector a_high = hn::ShiftRight<32>(a);
  const Xxh3Vector b_high = hn::ShiftRight<32>(b);
  const Xxh3Vector l = product(a, b);
  const Xxh3Vector m = product(a, b_high);
  const Xxh3Vector n = product(a_high, b);
  const Xxh3Vector h = product(a_high, b_high);
  const Xxh3Vector middle = hn::Add(n, hn::Add(hn::ShiftRight<32>(l), hn::And(m, low_half)));
  const Xxh3Vector high = hn::Add(h, hn::Add(hn::ShiftRight<32>(m), hn::ShiftRight<32>(middle)));
  const Xxh3Vector low = hn::Or(hn::And(l, low_half), hn::ShiftLeft<32>(middle));
  return hn::Xor(high, low);
}

HWY_INLINE Xxh3Vector Xxh3Avalanche(Xxh3Vector h) {
  const Xxh3Tag d;
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<37>(h)), hn::Set(d, uint64_t{0x165667919E3779F9}));
  return hn::Xor(h, hn::ShiftRight<32>(h));
}

// A block of these two words.
HWY_INLINE Xxh3Block BlockOf(uint64_t first, uint64_t second) {
  const hn::Half<Xxh3BlockTag> word;
  return hn::Combine(Xxh3BlockTag(), hn::Set(word, second), hn::Set(word, first));
}

HWY_INLINE Xxh3Vector Xxh3Of4To8(const Xxh3Keys& keys, uint64_t seed) {
  // The halves meet in the vector: words that were put together in integer registers take longer.
  const Xxh3Words words = WordsOfBlocks([&](size_t k) HWY_ATTR {
    return BlockOf(LoadBytes<uint32_t>(keys.End(k) - 4), LoadBytes<uint32_t>(keys.Begin(k)));
  });
  const Xxh3Vector halves = hn::Or(words.first, hn::ShiftLeft<32>(words.second));
  return Xxh3OfHalves(Xxh3Tag(), halves, Sizes(keys), Xxh3BitFlip(seed));
}

HWY_INLINE Xxh3Vector SwappedBytes(Xxh3Vector v) {
  alignas(16) static constexpr uint8_t kSwapped[16] = {7,  6,  5,  4,  3,  2,  1, 0,
                                                       15, 14, 13, 12, 11, 10, 9, 8};
  const hn::Repartition<uint8_t, Xxh3Tag> d;
  return hn::BitCast(Xxh3Tag(),
                     hn::TableLookupBytes(hn::BitCast(d, v), hn::LoadDup128(d, kSwapped)));
}

HWY_INLINE Xxh3Vector Xxh3Of9To16(const Xxh3Keys& keys, uint64_t seed) {
  const Xxh3Tag d;
  const Xxh3Words words = WordsOfBlocks([&](size_t k) HWY_ATTR {
    return BlockOf(LoadBytes<uint64_t>(keys.Begin(k)), LoadBytes<uint64_t>(keys.End(k) - 8));
  });
  const Xxh3Vector a = hn::Xor(words.first, hn::Set(d, (kXxh3Secret[3] ^ kXxh3Secret[4]) + seed));
  const Xxh3Vector b = hn::Xor(words.second, hn::Set(d, (kXxh3Secret[5] ^ kXxh3Secret[6]) - seed));
  return Xxh3Avalanche(
      hn::Add(hn::Add(Sizes(keys), SwappedBytes(a)), hn::Add(b, FoldedProduct(a, b))));
}

// Keys of more than 16 bytes that are mixed as this many blocks from either end.
template <size_t kBlocks>
HWY_INLINE Xxh3Vector Xxh3OfBlocks(const Xxh3Keys& keys, uint64_t seed) {
  const Xxh3Tag d;
  const auto mix = [&](const Xxh3Words& words, size_t secret_idx) HWY_ATTR {
    return FoldedProduct(hn::Xor(words.first, hn::Set(d, kXxh3Secret[secret_idx] + seed)),
                         hn::Xor(words.second, hn::Set(d, kXxh3Secret[secret_idx + 1] - seed)));
  };
  Xxh3Vector sum = hn::Mul(Sizes(keys), hn::Set(d, kPrime1));
  for (size_t i = 0; i < kBlocks; ++i) {
    const Xxh3Words head =
        WordsOfBlocks([&](size_t k) HWY_ATTR { return LoadBlock(keys.Begin(k) + 16 * i); });
    const Xxh3Words tail =
        WordsOfBlocks([&](size_t k) HWY_ATTR { return LoadBlock(keys.End(k) - 16 * (i + 1)); });
    sum = hn::Add(sum, hn::Add(mix(head, 4 * i), mix(tail, 4 * i + 2)));
  }
  return Xxh3Avalanche(sum);
}

// Hashes all keys of one class: hash(keys of a vector). The last vector repeats a key in the lanes
// that are left; a key that would be alone in it is left to the caller.
template <class Hash>
HWY_INLINE size_t HashClass(const ByteView* views, uint32_t* HWY_RESTRICT indexes,
                            size_t num_indexes, uint64_t* HWY_RESTRICT digests, const Hash& hash) {
  const Xxh3Tag d;
  size_t i = 0;
  for (; i + 1 < num_indexes; i += kXxh3Lanes) {
    for (size_t k = num_indexes; k < i + kXxh3Lanes; ++k) indexes[k] = indexes[i];
    HWY_ALIGN uint64_t hashed[kXxh3Lanes];
    hn::Store(hash(Xxh3Keys{views, indexes + i}), d, hashed);
    for (size_t k = 0; k < kXxh3Lanes; ++k) digests[indexes[i + k]] = hashed[k];
  }
  return HWY_MIN(i, num_indexes);
}

size_t Xxh3Views(const ByteView* views, size_t num_keys, uint64_t seed,
                 uint64_t* HWY_RESTRICT digests, uint16_t* HWY_RESTRICT left) {
  size_t num_left = 0;
  for (size_t first = 0; first < num_keys; first += kXxh3SortedKeys) {
    Xxh3Sorted sorted;
    sorted.Sort(views + first, HWY_MIN(kXxh3SortedKeys, num_keys - first));
    const auto leave = [&](size_t c, size_t begin) HWY_ATTR {
      for (size_t i = begin; i < sorted.num[c]; ++i) {
        left[num_left++] = static_cast<uint16_t>(first + sorted.indexes[c][i]);
      }
    };
    const auto hash_class = [&](size_t c, const auto& hash) HWY_ATTR {
      leave(c, HashClass(views + first, sorted.indexes[c], sorted.num[c], digests + first, hash));
    };
    hash_class(0, [seed](const Xxh3Keys& keys) HWY_ATTR { return Xxh3Of4To8(keys, seed); });
    hash_class(1, [seed](const Xxh3Keys& keys) HWY_ATTR { return Xxh3Of9To16(keys, seed); });
    hash_class(2, [seed](const Xxh3Keys& keys) HWY_ATTR { return Xxh3OfBlocks<1>(keys, seed); });
    hash_class(3, [seed](const Xxh3Keys& keys) HWY_ATTR { return Xxh3OfBlocks<2>(keys, seed); });
    hash_class(4, [seed](const Xxh3Keys& keys) HWY_ATTR { return Xxh3OfBlocks<3>(keys, seed); });
    hash_class(5, [seed](const Xxh3Keys& keys) HWY_ATTR { return Xxh3OfBlocks<4>(keys, seed); });
    leave(kXxh3Classes, 0);
  }
  return num_left;
}

}  // namespace
#endif

void AddXxh3ForTarget(KernelTable& kernels) {
#if HWY_TARGET <= HWY_AVX3
  kernels.hash.xxh3_views = &Xxh3Views;
#else
  kernels.hash.xxh3_views = nullptr;
#endif
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
