// Updates and queries of fingerprint blocks with slots of 8 bits (fingerprint_layout.h). Included
// once per target. One key: narrow_key-inl.h; batches: binned-inl.h.
#if defined(TROMMEL_KERNELS_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_NARROW_INL_H_
#undef TROMMEL_KERNELS_NARROW_INL_H_
#else
#define TROMMEL_KERNELS_NARROW_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/binned-inl.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/narrow_key-inl.h"
#include "kernels/narrow_lanes-inl.h"
#include "kernels/select-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
template <class Select>
struct NarrowCodec : Narrow<Select>, NarrowLanes {};
#else
template <class Select>
using NarrowCodec = Narrow<Select>;
#endif

}  // namespace

void AddNarrowFingerprintsForTarget(KernelTable& kernels) {
  WithSelect([&]<class Select>(Select) {
    using Codec = NarrowCodec<Select>;
    kernels.narrow_fingerprints = BinnedKernels<Codec, NoGroupChange, NoGroupReads>();
    kernels.versioned_narrow_fingerprints = BinnedKernels<Codec, GroupChange, GroupReads>();
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
