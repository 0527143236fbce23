// Single keys of promoted blocks, whose run strings are 64 bits a slice in the side table, and
// whose presence bits are in the block.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/long_runs.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/dispatch.h"
#include "kernels/register.h"
#include "kernels/runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {  // one name may mean another thing in the next file

struct LongStrings {
  HWY_INLINE uint64_t Get(size_t s) const { return runs[s]; }
  HWY_INLINE void Put(size_t s, uint64_t value) { runs[s] = value; }

  uint64_t* HWY_RESTRICT runs;
};

template <size_t kSlices, class Select>
void Add(uint64_t digest, uint32_t* presence, uint64_t* runs) {
  LongStrings strings{runs};
  Slices<kSlices, Select>::AddKey(digest, presence, strings);
}

template <size_t kSlices, class Select>
void Take(uint64_t digest, uint32_t* presence, uint64_t* runs) {
  LongStrings strings{runs};
  Slices<kSlices, Select>::TakeKey(digest, presence, strings);
}

}  // namespace

void AddLongRunsForTarget(Kernels& kernels) {
  WithSelect([&]<class Select>(Select) {
    kernels.long_runs4 = {&Add<4, Select>, &Take<4, Select>};
    kernels.long_runs5 = {&Add<5, Select>, &Take<5, Select>};
    kernels.long_runs8 = {&Add<8, Select>, &Take<8, Select>};
    kernels.long_runs10 = {&Add<10, Select>, &Take<10, Select>};
    kernels.long_runs16 = {&Add<16, Select>, &Take<16, Select>};
  });
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trommel::kernels {

HWY_EXPORT(AddLongRunsForTarget);
void AddLongRuns(int64_t target, Kernels& kernels) {
  TROMMEL_FOR_TARGET(AddLongRunsForTarget, target)(kernels);
}

}  // namespace trommel::kernels
#endif
