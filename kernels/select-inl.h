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

// Highway's AVX2 and better imply BMI2, whose PDEP puts a bit where the k-th 1 is.
//
// Pair: the k-th 1 (from 0) and the next, in one word: only the former or none, if there are no
// more.
struct PlainSelect {
  static HWY_INLINE uint32_t Ones(uint64_t word) { return CountOnes(word); }
  static HWY_INLINE uint64_t One(uint64_t word, uint32_t k) { return SelectOne(word, k); }
  static HWY_INLINE uint64_t Pair(uint64_t word, uint32_t k) {
    if (HWY_UNLIKELY(Ones(word) <= k)) return 0;
    const uint64_t one = One(word, k);
    const uint64_t above = word & (~one & (0 - one));
    return one | (above & (0 - above));
  }
  // The word without one of its bits: the bits above it move down by one.
  static HWY_INLINE uint64_t Without(uint64_t word, uint64_t bit) {
    return (word & (bit - 1)) | (word >> 1 & (0 - bit));
  }
  // The word's bits that are in the mask, side by side.
  static HWY_INLINE uint64_t Extract(uint64_t word, uint64_t mask) {
    uint64_t bits = 0;
    for (uint32_t i = 0; mask != 0; ++i, mask &= mask - 1) {
      bits |= uint64_t{(word & mask & (0 - mask)) != 0} << i;
    }
    return bits;
  }
};
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_BMI2_FMA)
#define TROMMEL_HAS_DEPOSIT 1
struct DepositSelect {
  static HWY_INLINE uint32_t Ones(uint64_t word) {
    return static_cast<uint32_t>(std::popcount(word));
  }
  static HWY_INLINE uint64_t One(uint64_t word, uint32_t k) {
    return _pdep_u64(uint64_t{1} << k, word);
  }
  static HWY_INLINE uint64_t Pair(uint64_t word, uint32_t k) {
    return _pdep_u64(uint64_t{3} << k, word);
  }
  static HWY_INLINE uint64_t Without(uint64_t word, uint64_t bit) { return Extract(word, ~bit); }
  static HWY_INLINE uint64_t Extract(uint64_t word, uint64_t mask) { return _pext_u64(word, mask); }
};
#else
#define TROMMEL_HAS_DEPOSIT 0
#endif

// Calls use(select) with this CPU's fastest select.
template <class Use>
void WithSelect(const Use& use) {
#if !TROMMEL_HAS_DEPOSIT
  use(PlainSelect());
#elif HWY_TARGET == HWY_AVX2
  HasFastDeposit() ? use(DepositSelect()) : use(PlainSelect());
#else  // all CPUs with AVX-512 have a fast PDEP
  use(DepositSelect());
#endif
}

#undef TROMMEL_HAS_DEPOSIT

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
