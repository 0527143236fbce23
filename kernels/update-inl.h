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
    const Fate fate = step(i, BlockOf<Layout>(digests[i], blocks));
    if (HWY_UNLIKELY(fate != Fate::kDone)) {
      if (!Layout::kSpillsFull && fate == Fate::kStop) return {i, num_spilled};
      spilled[num_spilled++] = static_cast<uint32_t>(i);
    }
  }
  return {range.end, num_spilled};
}

template <class Layout>
UpdateProgress Insert(const uint64_t* HWY_RESTRICT digests, const DigestRange& range,
                      const Blocks& blocks, uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests](size_t i, const typename Layout::Block& block)
                        HWY_ATTR { return Layout::TryInsert(digests[i], block); };
  return ForEachKey<Layout>(digests, range, blocks, spilled, step);
}

template <class Layout>
UpdateProgress InsertIfAbsent(const uint64_t* HWY_RESTRICT digests, const DigestRange& range,
                              const Blocks& blocks, uint64_t* HWY_RESTRICT inserted,
                              uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests, inserted](size_t i, const typename Layout::Block& block) HWY_ATTR {
    // Correct for a promoted block, too: keys that are still in the spill list only set bits.
    if (Layout::ShowsAll(digests[i], block.presence)) return Fate::kDone;
    const Fate fate = Layout::TryInsert(digests[i], block);
    inserted[i / 64] |= static_cast<uint64_t>(fate == Fate::kDone) << (i % 64);
    return fate;
  };
  return ForEachKey<Layout>(digests, range, blocks, spilled, step);
}

template <class Layout>
UpdateProgress Erase(const uint64_t* HWY_RESTRICT digests, const DigestRange& range,
                     const Blocks& blocks, uint64_t* HWY_RESTRICT erased,
                     uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests, erased](size_t i, const typename Layout::Block& block) HWY_ATTR {
    // Correct for a promoted block, too: keys that are still in the spill list only clear bits.
    if (HWY_UNLIKELY(!Layout::ShowsAll(digests[i], block.presence))) return Fate::kDone;
    const Fate fate = Layout::TryErase(digests[i], block);
    erased[i / 64] |= static_cast<uint64_t>(fate == Fate::kDone) << (i % 64);
    return fate;
  };
  return ForEachKey<Layout>(digests, range, blocks, spilled, step);
}

// --- One key: a call each, so that there is nothing to fetch ahead and no list to spill to.

HWY_INLINE OneFate OneFateOf(Fate fate) {
  if (HWY_LIKELY(fate == Fate::kDone)) return OneFate::kDone;
  return fate == Fate::kSpill ? OneFate::kSpill : OneFate::kStop;
}

template <class Layout>
OneFate InsertOne(uint64_t digest, const void* blocks) {
  return OneFateOf(
      Layout::TryInsert(digest, BlockOf<Layout>(digest, *static_cast<const Blocks*>(blocks))));
}

template <class Layout>
OneFate InsertIfAbsentOne(uint64_t digest, const void* blocks) {
  const typename Layout::Block block = BlockOf<Layout>(digest, *static_cast<const Blocks*>(blocks));
  if (Layout::ShowsAll(digest, block.presence)) return OneFate::kUnchanged;
  return OneFateOf(Layout::TryInsert(digest, block));
}

template <class Layout>
OneFate EraseOne(uint64_t digest, const void* blocks) {
  const typename Layout::Block block = BlockOf<Layout>(digest, *static_cast<const Blocks*>(blocks));
  if (HWY_UNLIKELY(!Layout::ShowsAll(digest, block.presence))) return OneFate::kUnchanged;
  return OneFateOf(Layout::TryErase(digest, block));
}

}  // namespace

void AddUpdateForTarget(KernelTable& kernels) {
  ForEachLayout(kernels, []<class Layout>(Layout, BlockKernels& table) {
    table.insert = &Insert<Layout>;
    table.insert_if_absent = &InsertIfAbsent<Layout>;
    table.erase = &Erase<Layout>;
    table.insert_one = &InsertOne<Layout>;
    table.insert_if_absent_one = &InsertIfAbsentOne<Layout>;
    table.erase_one = &EraseOne<Layout>;
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
