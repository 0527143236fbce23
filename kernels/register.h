// How each file of kernels adds its functions for one target to that target's table: it defines
// AddXForTarget once per target, and TROMMEL_REGISTER(AddX) defines AddX, which calls the version
// for a given target.
//
// Highway's own HWY_EXPORT and HWY_DYNAMIC_DISPATCH always use the process-wide choice, and the
// only way to change that choice also changes it for every other user of Highway in the process.
// They need Highway's library, too.
#ifndef TROMMEL_KERNELS_REGISTER_H_
#define TROMMEL_KERNELS_REGISTER_H_

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"

// Under HWY_ONCE, in namespace trommel::kernels. The table of versions is Highway's without its
// first entry, which would make the process-wide choice.
#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)  // one target
#define TROMMEL_REGISTER(FUNC) \
  void FUNC(int64_t, KernelTable& kernels) { HWY_STATIC_DISPATCH(FUNC##ForTarget)(kernels); }
#else
#define TROMMEL_REGISTER(FUNC)                                                                   \
  void FUNC(int64_t target, KernelTable& kernels) {                                              \
    static constexpr void (*kVersions[])(KernelTable&) = {                                       \
        nullptr, HWY_CHOOSE_TARGET_LIST(FUNC##ForTarget), HWY_CHOOSE_FALLBACK(FUNC##ForTarget)}; \
    kVersions[DispatchIndex(target)](kernels);                                                   \
  }
#endif

namespace trommel::kernels {

// Returns the index of a target in Highway's tables, by a ChosenTarget of our own.
inline size_t DispatchIndex(int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return chosen.GetIndex();
}

// What every table has; the other families are declared in targets.h.
void AddHash(int64_t target, KernelTable& kernels);              // hash-inl.h
void AddSipHash(int64_t target, KernelTable& kernels);           // siphash-inl.h
void AddXxh3(int64_t target, KernelTable& kernels);              // xxh3-inl.h
void AddUpdate(int64_t target, KernelTable& kernels);            // update-inl.h
void AddQuery(int64_t target, KernelTable& kernels);             // query-inl.h
void AddLongRuns(int64_t target, KernelTable& kernels);          // long_runs-inl.h
void AddWholePlanes(int64_t target, KernelTable& kernels);       // whole_planes-inl.h
void AddWholeRuns(int64_t target, KernelTable& kernels);         // whole_runs-inl.h
void AddWideFingerprints(int64_t target, KernelTable& kernels);  // wide-inl.h

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_REGISTER_H_
