// Single keys of promoted blocks, whose run strings, 64 bits per slice, are in the side table, and
// whose presence bits are in the block.
#if defined(TROMMEL_KERNELS_LONG_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_LONG_RUNS_INL_H_
#undef TROMMEL_KERNELS_LONG_RUNS_INL_H_
#else
#define TROMMEL_KERNELS_LONG_RUNS_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

struct LongStrings {
  HWY_INLINE uint64_t Get(size_t s) const { return runs[s]; }
  HWY_INLINE void Put(size_t s, uint64_t value) { runs[s] = value; }

  uint64_t* HWY_RESTRICT runs;
};

template <size_t kSlices>
void Increment(uint64_t digest, uint32_t* presence, uint64_t* runs) {
  LongStrings strings{runs};
  Slices<kSlices>::Increment(digest, presence, strings);
}

template <size_t kSlices>
void Decrement(uint64_t digest, uint32_t* presence, uint64_t* runs) {
  LongStrings strings{runs};
  Slices<kSlices>::Decrement(digest, presence, strings);
}

}  // namespace

void AddLongRunsForTarget(KernelTable& kernels) {
  kernels.long_runs4 = {&Increment<4>, &Decrement<4>};
  kernels.long_runs5 = {&Increment<5>, &Decrement<5>};
  kernels.long_runs8 = {&Increment<8>, &Decrement<8>};
  kernels.long_runs10 = {&Increment<10>, &Decrement<10>};
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
