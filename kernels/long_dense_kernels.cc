// Updates and queries of dense blocks with longer remainders. The frame is explained in
// update_kernels.cc.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/long_dense_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/dense_cut-inl.h"
#include "kernels/register.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {

void AddLongDenseForTarget(KernelTable& kernels) {
  AddDenseShapes<kNumShortDenseShapes, kNumDenseShapes - kNumShortDenseShapes>(kernels);
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddLongDense)
}  // namespace trommel::kernels
#endif
