// TROMMEL_FOR_TARGET(Func, target): the version of an HWY_EXPORTed function for one given target.
// Highway's own HWY_DYNAMIC_DISPATCH always takes the process-wide choice, and the only way to
// change that choice also changes it for every other user of Highway in the process.
#ifndef TROMMEL_KERNELS_DISPATCH_H_
#define TROMMEL_KERNELS_DISPATCH_H_

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)  // one target: HWY_EXPORT makes no table
#define TROMMEL_FOR_TARGET(FUNC, TARGET) ((void)(TARGET), &HWY_STATIC_DISPATCH(FUNC))
#else
#define TROMMEL_FOR_TARGET(FUNC, TARGET) \
  (HWY_DISPATCH_TABLE(FUNC)[::trommel::kernels::DispatchIndex(TARGET)])
#endif

namespace trommel::kernels {

// A ChosenTarget of our own, never Highway's global one, turns a target's bit into a table index.
inline size_t DispatchIndex(int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return chosen.GetIndex();
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_DISPATCH_H_
