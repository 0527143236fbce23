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
Applied Erase(const uint64_t* HWY_RESTRICT digests, size_t begin, size_t end, const Blocks& blocks,
              uint64_t* HWY_RESTRICT erased, uint32_t* HWY_RESTRICT spilled) {
  const size_t lead = HWY_MIN(end, begin + kUpdateDistance);
  for (size_t i = begin; i < lead; ++i) Prefetch(BlockOf<kSlices>(digests[i], blocks));
  size_t num_spilled = 0;
  for (size_t i = begin; i < end; ++i) {
    if (HWY_LIKELY(i + kUpdateDistance < end)) {
      Prefetch(BlockOf<kSlices>(digests[i + kUpdateDistance], blocks));
    }
    const Block<kSlices> block = BlockOf<kSlices>(digests[i], blocks);
    // Certainly absent, whatever keys of a promoted block still wait: they only take bits away.
    if (HWY_UNLIKELY(!ShowsAll<kSlices>(digests[i], block.presence))) continue;
    if (HWY_UNLIKELY(IsPromoted(block.planes, kSlices))) {
      spilled[num_spilled++] = static_cast<uint32_t>(i);
      continue;
    }
    TakeKey(digests[i], block);
    erased[i / 64] |= uint64_t{1} << (i % 64);
  }
  return {end, num_spilled};
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
