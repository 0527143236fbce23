// Queries: they read presence bits only, one cache line per key (two with 10 slices), and write
// nothing but the answers: a bitmap, a selection vector, or a fate.
#if defined(TROMMEL_KERNELS_QUERY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_QUERY_INL_H_
#undef TROMMEL_KERNELS_QUERY_INL_H_
#else
#define TROMMEL_KERNELS_QUERY_INL_H_
#endif

#include <bit>

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/layouts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

template <class Layout>
HWY_INLINE const uint32_t* PresenceOf(uint64_t digest, const Blocks& blocks) {
  return Layout::PresenceAt(blocks.presence, BlockIndex(digest, blocks.num_blocks));
}

// Calls use(i, maybe_present) for each digest in order, and prefetches kQueryDistance keys ahead.
template <class Layout, class Use>
HWY_INLINE void AnswerAll(const uint64_t* HWY_RESTRICT digests, size_t num_digests,
                          const Blocks& blocks, const Use& use) {
  const size_t lead = HWY_MIN(num_digests, kQueryDistance);
  for (size_t i = 0; i < lead; ++i)
    Layout::PrefetchPresence(PresenceOf<Layout>(digests[i], blocks));
  const size_t fetched = num_digests - lead;
  size_t i = 0;
  for (; i < fetched; ++i) {
    Layout::PrefetchPresence(PresenceOf<Layout>(digests[i + kQueryDistance], blocks));
    use(i, Layout::ShowsAll(digests[i], PresenceOf<Layout>(digests[i], blocks)));
  }
  for (; i < num_digests; ++i) {
    use(i, Layout::ShowsAll(digests[i], PresenceOf<Layout>(digests[i], blocks)));
  }
}

template <class Layout>
size_t Query(const uint64_t* HWY_RESTRICT digests, size_t num_digests, const Blocks& blocks,
             uint64_t* HWY_RESTRICT maybe_present) {
  size_t num_present = 0;
  uint64_t word = 0;  // answers of the current 64 keys, the first in the lowest bit
  AnswerAll<Layout>(digests, num_digests, blocks, [&](size_t i, bool answer) HWY_ATTR {
    word |= static_cast<uint64_t>(answer) << (i % 64);
    if (i % 64 == 63) {
      maybe_present[i / 64] = word;
      num_present += static_cast<size_t>(std::popcount(word));
      word = 0;
    }
  });
  if (num_digests % 64 != 0) {
    maybe_present[num_digests / 64] = word;
    num_present += static_cast<size_t>(std::popcount(word));
  }
  return num_present;
}

template <class Layout>
size_t Select(const uint64_t* HWY_RESTRICT digests, size_t num_digests, const Blocks& blocks,
              bool maybe_present, uint32_t first_idx, uint32_t* HWY_RESTRICT selection) {
  size_t num_selected = 0;
  AnswerAll<Layout>(digests, num_digests, blocks, [&](size_t i, bool answer) HWY_ATTR {
    // Always written, and kept only if it counts: no branch to mispredict.
    selection[num_selected] = first_idx + static_cast<uint32_t>(i);
    num_selected += static_cast<size_t>(answer == maybe_present);
  });
  return num_selected;
}

template <class Layout>
OneFate QueryOne(uint64_t digest, const void* blocks) {
  const auto& of_layout = *static_cast<const Blocks*>(blocks);
  return static_cast<OneFate>(!Layout::ShowsAll(digest, PresenceOf<Layout>(digest, of_layout)));
}

}  // namespace

void AddQueryForTarget(KernelTable& kernels) {
  ForEachLayout(kernels, []<class Layout>(Layout, BlockKernels& table) {
    table.query = &Query<Layout>;
    table.select = &Select<Layout>;
    table.query_one = &QueryOne<Layout>;
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
