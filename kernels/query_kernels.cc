// Queries of one store, and of several.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/query_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/query-inl.h"
#include "kernels/register.h"

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddQuery)
}  // namespace trommel::kernels
#endif
