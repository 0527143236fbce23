// Updates of single keys, in blocks and in the side table.
//
// The frame of the kernels' sources: foreach_target.h includes this file once per target
// (HWY_TARGET_INCLUDE names it), each time in another HWY_NAMESPACE with that target's instructions
// enabled. The code under HWY_ONCE is compiled once, at the end, and TROMMEL_REGISTER makes the
// table of the versions compiled before. Parsing Highway for all targets takes two seconds, so
// kernels share sources. Their functions are in anonymous namespaces, because other sources use the
// same names.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/update_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/long_runs-inl.h"
#include "kernels/register.h"
#include "kernels/update-inl.h"

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddLongRuns)
TROMMEL_REGISTER(AddUpdate)
}  // namespace trommel::kernels
#endif
