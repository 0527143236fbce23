// All layouts, with the table of each. Included once per target.
#if defined(TROMMEL_KERNELS_LAYOUTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_LAYOUTS_INL_H_
#undef TROMMEL_KERNELS_LAYOUTS_INL_H_
#else
#define TROMMEL_KERNELS_LAYOUTS_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/planes-inl.h"
#include "kernels/runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {

// Calls visit(layout, table) for each layout.
template <class Visit>
void ForEachLayout(KernelTable& kernels, const Visit& visit) {
  visit(Planes(), kernels.planes);
  ForEachRunLayout(kernels, visit);
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
