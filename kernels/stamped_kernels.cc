// Updates and queries of stamped blocks. The frame is explained in update_kernels.cc.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/stamped_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/register.h"
#include "kernels/stamped-inl.h"

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddStamped)
}  // namespace trommel::kernels
#endif
