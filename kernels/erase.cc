// Checked erase on presence and planes: a key that is certainly absent changes nothing.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/erase.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/dispatch.h"
#include "kernels/register.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {  // one name may mean another thing in the next file

template <size_t kSlices>
Applied Erase(const uint64_t* HWY_RESTRICT digests, const Run& run, const Blocks& blocks,
              uint64_t* HWY_RESTRICT erased, uint32_t* HWY_RESTRICT spilled) {
  const auto step = [digests, erased](size_t i, const Block<kSlices>& block) HWY_ATTR {
    // Certainly absent, whatever keys of a promoted block still wait: they only take bits away.
    if (HWY_UNLIKELY(!ShowsAll<kSlices>(digests[i], block.presence))) return Fate::kDone;
    if (HWY_UNLIKELY(IsPromoted(block.planes, kSlices))) return Fate::kSpill;
    TakeKey(digests[i], block);
    erased[i / 64] |= uint64_t{1} << (i % 64);
    return Fate::kDone;
  };
  return ForEachKey<kSlices>(digests, run, blocks, spilled, step);
}

}  // namespace

void AddEraseForTarget(Kernels& kernels) {
  kernels.planes8.erase = &Erase<8>;
  kernels.planes16.erase = &Erase<16>;
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
