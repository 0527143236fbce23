// Hashes, and the cells of the published matrix.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/array_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/cells-inl.h"
#include "kernels/hash-inl.h"
#include "kernels/register.h"
#include "kernels/siphash-inl.h"
#include "kernels/xxh3-inl.h"

#if HWY_ONCE
namespace trommel::kernels {
TROMMEL_REGISTER(AddCells)
TROMMEL_REGISTER(AddHash)
TROMMEL_REGISTER(AddSipHash)
TROMMEL_REGISTER(AddXxh3)
}  // namespace trommel::kernels
#endif
