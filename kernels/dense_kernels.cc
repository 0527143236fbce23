// Updates and queries of dense blocks. The frame is explained in update_kernels.cc.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/dense_cut-inl.h"
#include "kernels/register.h"

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddDense)
}  // namespace trommel::kernels
#endif
