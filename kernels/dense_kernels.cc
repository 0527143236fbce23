// Updates and queries of dense blocks with remainders of 8 to 10 bits. The frame is explained in
// update_kernels.cc.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/dense_cut-inl.h"
#include "kernels/register.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {

void AddDenseForTarget(KernelTable& kernels) { AddDenseShapes<0, kNumShortDenseShapes>(kernels); }

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddDense)
}  // namespace trommel::kernels
#endif
