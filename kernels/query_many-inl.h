// Queries of several stores of one shape at once: does any of them show the key, and which is the
// first? A key's marks are computed once, not once per store.
//
// Stores are queried in groups of 2, 4 or 8, key by key: a fixed number, so that the loop over a
// group unrolls. A key's addresses in all stores of the group are computed by vectors kLead keys
// ahead, and kept in a ring while their lines are prefetched.
//
//   ring   | key i: store 0 .. 7 | key i + 1: .. | ... | key i + kLead - 1: .. |
//             answered, then replaced by the addresses of key i + kLead
//
// Querying store by store over a chunk of keys takes twice the time in the caches, and no less time
// beyond them, where cache misses dominate (bench/README.md, "Dead ends").
#if defined(TROMMEL_KERNELS_QUERY_MANY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_QUERY_MANY_INL_H_
#undef TROMMEL_KERNELS_QUERY_MANY_INL_H_
#else
#define TROMMEL_KERNELS_QUERY_MANY_INL_H_
#endif

#include <bit>

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/layouts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

constexpr size_t kMaxGroup = 8;
constexpr size_t kChunk = 1024;  // keys whose answers are collected before they are combined

// Where a digest's blocks are in a group of stores.
template <class Layout, size_t kGroup>
class Addresses {
 public:
  // If there are fewer stores than kGroup, the last one is repeated.
  HWY_INLINE Addresses(const Blocks* stores, size_t num_stores) {
    for (size_t s = 0; s < kGroup; ++s) {
      const Blocks& store = stores[HWY_MIN(s, num_stores - 1)];
      num_blocks_[s] = store.num_blocks;
      first_[s] = reinterpret_cast<uintptr_t>(store.presence);
    }
  }

  HWY_INLINE void Of(uint64_t digest, uint64_t* HWY_RESTRICT addresses) const {
    constexpr size_t kBytes = Layout::kPresenceStride * sizeof(uint32_t);
    static_assert(std::has_single_bit(kBytes), "a shift finds the block");
#if HWY_TARGET == HWY_SCALAR
    for (size_t s = 0; s < kGroup; ++s) {
      addresses[s] = first_[s] + BlockIndex(digest, num_blocks_[s]) * kBytes;
    }
#else
    // BlockIndex of each: the product of two halves, of which the upper half counts.
    const hn::CappedTag<uint64_t, kGroup> d;
    const hn::Repartition<uint32_t, decltype(d)> d32;
    const auto high = hn::BitCast(d32, hn::Set(d, digest >> 32));
    for (size_t s = 0; s < kGroup; s += hn::Lanes(d)) {
      const auto product = hn::MulEven(high, hn::BitCast(d32, hn::Load(d, num_blocks_ + s)));
      const auto offset = hn::ShiftLeft<std::countr_zero(kBytes)>(hn::ShiftRight<32>(product));
      hn::Store(hn::Add(hn::Load(d, first_ + s), offset), d, addresses + s);
    }
#endif
  }

 private:
  HWY_ALIGN uint64_t num_blocks_[kGroup];
  HWY_ALIGN uint64_t first_[kGroup];
};

HWY_INLINE const uint32_t* PresenceAtAddress(uint64_t address) {
  return reinterpret_cast<const uint32_t*>(static_cast<uintptr_t>(address));
}

// Queries the first kGroup stores. shown[i] has one bit per store: whether it shows digest i.
template <class Layout, size_t kGroup>
void QueryGroup(const uint64_t* HWY_RESTRICT digests, size_t num_digests, const Blocks* stores,
                size_t num_stores, uint8_t* HWY_RESTRICT shown) {
  constexpr size_t kLead = kQueryDistance / kGroup;  // as many lines in flight as for one store
  static_assert(std::has_single_bit(kLead), "the ring's index is a mask");
  const Addresses<Layout, kGroup> addresses(stores, num_stores);
  HWY_ALIGN uint64_t ring[kLead][kGroup];
  const auto fetch = [&](size_t i) HWY_ATTR {
    uint64_t* at = ring[i % kLead];
    addresses.Of(digests[i], at);
    HWY_UNROLL(8)
    for (size_t s = 0; s < kGroup; ++s) Layout::PrefetchPresence(PresenceAtAddress(at[s]));
  };
  const size_t lead = HWY_MIN(num_digests, kLead);
  for (size_t i = 0; i < lead; ++i) fetch(i);
  for (size_t i = 0; i < num_digests; ++i) {
    const typename Layout::Marks marks(digests[i]);
    const uint64_t* at = ring[i % kLead];
    uint32_t answer = 0;
    HWY_UNROLL(8)
    for (size_t s = 0; s < kGroup; ++s) {
      answer |= uint32_t{marks.ShownBy(PresenceAtAddress(at[s]))} << s;
    }
    shown[i] = static_cast<uint8_t>(answer);
    if (i + kLead < num_digests) fetch(i + kLead);
  }
}

// Queries the first stores, at most kMaxGroup of them; returns how many. Requires at least one.
template <class Layout>
size_t QuerySome(const uint64_t* digests, size_t num_digests, const Blocks* stores,
                 size_t num_stores, uint8_t* shown) {
  if (num_stores <= 2) {
    QueryGroup<Layout, 2>(digests, num_digests, stores, num_stores, shown);
  } else if (num_stores <= 4) {
    QueryGroup<Layout, 4>(digests, num_digests, stores, num_stores, shown);
  } else {
    QueryGroup<Layout, kMaxGroup>(digests, num_digests, stores, num_stores, shown);
  }
  return HWY_MIN(num_stores, kMaxGroup);
}

template <class Layout>
size_t QueryAny(const uint64_t* HWY_RESTRICT digests, size_t num_digests, const Blocks* stores,
                size_t num_stores, uint64_t* HWY_RESTRICT maybe_present) {
  size_t num_present = 0;
  uint8_t shown[kChunk];
  for (size_t first = 0; first < num_digests; first += kChunk) {
    const size_t num_keys = HWY_MIN(kChunk, num_digests - first);
    uint64_t* words = maybe_present + first / 64;
    const size_t num_words = (num_keys + 63) / 64;
    for (size_t w = 0; w < num_words; ++w) words[w] = 0;
    for (size_t s = 0; s < num_stores;) {
      s += QuerySome<Layout>(digests + first, num_keys, stores + s, num_stores - s, shown);
      for (size_t i = 0; i < num_keys; ++i) words[i / 64] |= uint64_t{shown[i] != 0} << (i % 64);
    }
    for (size_t w = 0; w < num_words; ++w) {
      num_present += static_cast<size_t>(std::popcount(words[w]));
    }
  }
  return num_present;
}

template <class Layout>
void FindOldest(const uint64_t* HWY_RESTRICT digests, size_t num_digests, const Blocks* stores,
                size_t num_stores, uint8_t* HWY_RESTRICT oldest) {
  const auto none = static_cast<uint8_t>(num_stores);
  uint8_t shown[kChunk];
  for (size_t first = 0; first < num_digests; first += kChunk) {
    const size_t num_keys = HWY_MIN(kChunk, num_digests - first);
    uint8_t* found = oldest + first;
    for (size_t i = 0; i < num_keys; ++i) found[i] = none;
    for (size_t s = 0; s < num_stores;) {
      const size_t num_queried =
          QuerySome<Layout>(digests + first, num_keys, stores + s, num_stores - s, shown);
      for (size_t i = 0; i < num_keys; ++i) {
        const auto lowest = static_cast<uint8_t>(std::countr_zero(shown[i] | 0x100U));
        const bool is_first = found[i] == none && shown[i] != 0;
        found[i] = is_first ? static_cast<uint8_t>(s + lowest) : found[i];
      }
      s += num_queried;
    }
  }
}

}  // namespace

void AddQueryManyForTarget(KernelTable& kernels) {
  ForEachLayout(kernels, []<class Layout>(Layout, BlockKernels& table) {
    table.query_any = &QueryAny<Layout>;
    table.find_oldest = &FindOldest<Layout>;
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
