// Insert, insert-if-absent, and checked erase, for which a key that is certainly absent changes
// nothing.
#if defined(TROMMEL_KERNELS_UPDATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_UPDATE_INL_H_
#undef TROMMEL_KERNELS_UPDATE_INL_H_
#else
#define TROMMEL_KERNELS_UPDATE_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/layouts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// The pipeline of every update: calls step(i, block) for each key of the range, whose lines were
// prefetched kUpdateDistance keys before.
template <class Layout, class Step>
HWY_INLINE UpdateProgress ForEachKey(const uint64_t* HWY_RESTRICT digests, const DigestRange& range,
                                     const Blocks& blocks, uint32_t* HWY_RESTRICT spilled,
                                     const Step& step) {
  const size_t fetch_end = HWY_MAX(range.end, range.fetch_end);
  const size_t lead = HWY_MIN(fetch_end, range.begin + kUpdateDistance);
  for (size_t i = HWY_MAX(range.begin, range.fetched); i < lead; ++i) {
    Layout::Prefetch(BlockOf<Layout>(digests[i], blocks));
  }
  size_t num_spilled = 0;
  for (size_t i = range.begin; i < range.end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < fetch_end)) {
      Layout::Prefetch(BlockOf<Layout>(digests[i + kUpdateDistance], blocks));
    }
    const OneFate fate = step(i, BlockOf<Layout>(digests[i], blocks));
    if (HWY_UNLIKELY(fate >= OneFate::kSpill)) {
      if (!Layout::kSpillsFull && fate == OneFate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
    }
  }
  return {range.end, num_spilled};
}

// Inserts a key that its block does not show, or erases one that it shows; calls changed(fate)
// then. Correct for a promoted block, too: keys that are still in the spill list only set or clear
// bits.
template <class Layout, bool kErases, class Changed>
HWY_INLINE OneFate UpdateKey(uint64_t digest, const typename Layout::Block& block,
                             const Changed& changed) {
  const bool is_shown = Layout::ShowsAll(digest, block.presence);
  if (kErases ? HWY_UNLIKELY(!is_shown) : is_shown) return OneFate::kUnchanged;
  const OneFate fate = kErases ? Layout::TryErase(digest, block) : Layout::TryInsert(digest, block);
  changed(fate);
  return fate;
}

template <class Layout>
UpdateProgress Insert(const uint64_t* HWY_RESTRICT digests, const DigestRange& range,
                      const Blocks& blocks, uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests](size_t i, const typename Layout::Block& block)
                        HWY_ATTR { return Layout::TryInsert(digests[i], block); };
  return ForEachKey<Layout>(digests, range, blocks, spilled, step);
}

// Sets the bit of each key that was inserted, or erased.
template <class Layout, bool kErases>
UpdateProgress Update(const uint64_t* HWY_RESTRICT digests, const DigestRange& range,
                      const Blocks& blocks, uint64_t* HWY_RESTRICT changed,
                      uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests, changed](size_t i, const typename Layout::Block& block) HWY_ATTR {
    return UpdateKey<Layout, kErases>(digests[i], block, [&](OneFate fate) HWY_ATTR {
      changed[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
    });
  };
  return ForEachKey<Layout>(digests, range, blocks, spilled, step);
}

// --- One key: a call each, so that there is nothing to fetch ahead and no list to spill to.

template <class Layout>
OneFate InsertOne(uint64_t digest, const void* blocks) {
  return Layout::TryInsert(digest, BlockOf<Layout>(digest, *static_cast<const Blocks*>(blocks)));
}

template <class Layout, bool kErases>
OneFate UpdateOne(uint64_t digest, const void* blocks) {
  return UpdateKey<Layout, kErases>(digest,
                                    BlockOf<Layout>(digest, *static_cast<const Blocks*>(blocks)),
                                    [](OneFate) HWY_ATTR {});
}

}  // namespace

void AddUpdateForTarget(KernelTable& kernels) {
  ForEachLayout(kernels, []<class Layout>(Layout, BlockKernels& table) {
    table.insert = &Insert<Layout>;
    table.insert_if_absent = &Update<Layout, false>;
    table.erase = &Update<Layout, true>;
    table.insert_one = &InsertOne<Layout>;
    table.insert_if_absent_one = &UpdateOne<Layout, false>;
    table.erase_one = &UpdateOne<Layout, true>;
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
