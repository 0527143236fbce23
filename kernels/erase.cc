// Checked erase: a key that is certainly absent changes nothing.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/erase.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/dispatch.h"
#include "kernels/layouts-inl.h"
#include "kernels/register.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {  // one name may mean another thing in the next file

template <class Layout>
Applied Erase(const uint64_t* HWY_RESTRICT digests, const DigestRange& range, const Blocks& blocks,
              uint64_t* HWY_RESTRICT erased, uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests, erased](size_t i, const typename Layout::Block& block) HWY_ATTR {
    // Certainly absent, whatever keys of a promoted block still wait: they only take bits away.
    if (HWY_UNLIKELY(!Layout::ShowsAll(digests[i], block.presence))) return Fate::kDone;
    const Fate fate = Layout::TryTake(digests[i], block);
    erased[i / 64] |= static_cast<uint64_t>(fate == Fate::kDone) << (i % 64);
    return fate;
  };
  return ForEachKey<Layout>(digests, range, blocks, spilled, step);
}

}  // namespace

void AddEraseForTarget(Kernels& kernels) {
  ForEachLayout(kernels,
                []<class Layout>(Layout, BlockKernels& table) { table.erase = &Erase<Layout>; });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trommel::kernels {

HWY_EXPORT(AddEraseForTarget);
void AddErase(int64_t target, Kernels& kernels) {
  TROMMEL_FOR_TARGET(AddEraseForTarget, target)(kernels);
}

}  // namespace trommel::kernels
#endif
