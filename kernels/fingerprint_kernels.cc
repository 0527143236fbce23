// Updates and queries of fingerprint blocks, growing ones among them. The frame is explained in
// update_kernels.cc.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fingerprint_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/growing-inl.h"
#include "kernels/register.h"
#include "kernels/wide-inl.h"

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddWideFingerprints)
TROMMEL_REGISTER(AddGrowing)
}  // namespace trommel::kernels
#endif
