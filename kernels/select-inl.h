// How a target finds the k-th 1 of a word. Included once per target.
#if defined(TROMMEL_KERNELS_SELECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_SELECT_INL_H_
#undef TROMMEL_KERNELS_SELECT_INL_H_
#else
#define TROMMEL_KERNELS_SELECT_INL_H_
#endif

#include <bit>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/cpu.h"
#include "kernels/run_slice.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// Highway's AVX2 and better imply BMI2, whose PDEP puts a bit where the k-th 1 is: fast on all CPUs
// with AVX-512, and on most with AVX2.
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_BMI2_FMA)
#define TROMMEL_IF_DEPOSIT(FAST) \
  if (HWY_LIKELY(HWY_TARGET < HWY_AVX2 || deposit_is_fast)) return FAST
#else
#define TROMMEL_IF_DEPOSIT(FAST)
#endif

struct RankSelect {
  static HWY_INLINE uint32_t Ones(uint64_t word) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
    return static_cast<uint32_t>(std::popcount(word));
#else
    return CountOnes(word);
#endif
  }
  static HWY_INLINE uint64_t One(uint64_t word, uint32_t k) {
    TROMMEL_IF_DEPOSIT(_pdep_u64(uint64_t{1} << k, word));
    return SelectOne(word, k);
  }
  // The word without one of its bits: the bits above it move down by one.
  static HWY_INLINE uint64_t Without(uint64_t word, uint64_t bit) {
    TROMMEL_IF_DEPOSIT(_pext_u64(word, ~bit));
    return (word & (bit - 1)) | (word >> 1 & (0 - bit));
  }
  // The word's bits that are in the mask, side by side.
  static HWY_INLINE uint64_t Extract(uint64_t word, uint64_t mask) {
    TROMMEL_IF_DEPOSIT(_pext_u64(word, mask));
    uint64_t bits = 0;
    for (uint32_t i = 0; mask != 0; ++i, mask &= mask - 1) {
      bits |= uint64_t{(word & mask & (0 - mask)) != 0} << i;
    }
    return bits;
  }
};

#undef TROMMEL_IF_DEPOSIT

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
