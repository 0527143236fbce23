// Insert and insert-if-absent.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/insert.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/dispatch.h"
#include "kernels/layouts-inl.h"
#include "kernels/register.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {  // one name may mean another thing in the next file

template <class Layout>
Applied Insert(const uint64_t* HWY_RESTRICT digests, const DigestRange& range, const Blocks& blocks,
               uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests](size_t i, const typename Layout::Block& block)
                        HWY_ATTR { return Layout::TryAdd(digests[i], block); };
  return ForEachKey<Layout>(digests, range, blocks, spilled, step);
}

template <class Layout>
Applied InsertIfAbsent(const uint64_t* HWY_RESTRICT digests, const DigestRange& range,
                       const Blocks& blocks, uint64_t* HWY_RESTRICT inserted,
                       uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests, inserted](size_t i, const typename Layout::Block& block) HWY_ATTR {
    // True for a promoted block, too: keys of it that still wait in the spill list only add bits.
    if (Layout::ShowsAll(digests[i], block.presence)) return Fate::kDone;
    const Fate fate = Layout::TryAdd(digests[i], block);
    inserted[i / 64] |= static_cast<uint64_t>(fate == Fate::kDone) << (i % 64);
    return fate;
  };
  return ForEachKey<Layout>(digests, range, blocks, spilled, step);
}

}  // namespace

void AddInsertForTarget(Kernels& kernels) {
  ForEachLayout(kernels, []<class Layout>(Layout, BlockKernels& table) {
    table.insert = &Insert<Layout>;
    table.insert_if_absent = &InsertIfAbsent<Layout>;
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trommel::kernels {

HWY_EXPORT(AddInsertForTarget);
void AddInsert(int64_t target, Kernels& kernels) {
  TROMMEL_FOR_TARGET(AddInsertForTarget, target)(kernels);
}

}  // namespace trommel::kernels
#endif
