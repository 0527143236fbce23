// Operations on whole blocks: tally, merge, subtract, fold.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/whole_block_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/register.h"
#include "kernels/whole_planes-inl.h"
#include "kernels/whole_runs-inl.h"

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddWholePlanes)
TROMMEL_REGISTER(AddWholeRuns)
}  // namespace trommel::kernels
#endif
