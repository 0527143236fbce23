// Marks: the bits of a key in a block, computed once per key and compared with any number of
// blocks, which is all a query does. One class for slices of 32 positions, one for slices of 64.
// Included once per target.
#if defined(TROMMEL_KERNELS_MARKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_MARKS_INL_H_
#undef TROMMEL_KERNELS_MARKS_INL_H_
#else
#define TROMMEL_KERNELS_MARKS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {

// The bits of a key in a block's slices of 32: one in each.
class Marks32 {
 public:
  explicit HWY_INLINE Marks32(uint64_t digest) {
    const SliceTag d;
    for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
      hn::Store(ProbeMask(d, digest, s), d, words_ + s);
    }
  }

  // Are all marks set in these presence words?
  HWY_INLINE bool ShownBy(const uint32_t* HWY_RESTRICT presence) const {
    const SliceTag d;
    auto missing = hn::Zero(d);
    for (size_t s = 0; s < kWordSlices; s += hn::Lanes(d)) {
      missing = hn::Or(missing, hn::AndNot(LoadPresence(d, presence + s), hn::Load(d, words_ + s)));
    }
    return !AnyBit(d, missing);
  }

 private:
  HWY_ALIGN uint32_t words_[kWordSlices];  // an array: vectors of some targets cannot be members
};

// Marks32 for slices of 64. With vectors of four words or more the slices move together; the last
// vector may reach beyond the presence words, but not out of the block's lines, and has no marks
// there. Otherwise a slice's word is shifted until its mark is the lowest bit.
template <size_t kSlices>
class Marks64 {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && !TROMMEL_ATOMIC_WORDS
 public:
  explicit HWY_INLINE Marks64(uint64_t digest) {
    // 1 in the lanes to mark.
    alignas(64) static constexpr uint64_t kOnes[16] = {
        1, 1, 1, 1, kSlices > 4, kSlices > 5, kSlices > 5, kSlices > 5, kSlices > 8, kSlices > 8};
    alignas(64) static constexpr uint64_t kShifts[16] = {0, 6, 12, 18, 24, 30, 36, 42, 48, 54};
    const Tag d;
    const auto positions = hn::Set(d, PositionWord(digest, kSlices));
    for (size_t s = 0; s < kSlices; s += hn::Lanes(d)) {
      const auto position =
          hn::And(hn::Shr(positions, hn::Load(d, kShifts + s)), hn::Set(d, uint64_t{63}));
      hn::Store(hn::Shl(hn::Load(d, kOnes + s), position), d, words_ + s);
    }
  }

  HWY_INLINE bool ShownBy(const uint32_t* HWY_RESTRICT presence) const {
    const Tag d;
    const auto* slices = reinterpret_cast<const PresenceWord64*>(presence);
    auto missing = hn::Zero(d);
    for (size_t s = 0; s < kSlices; s += hn::Lanes(d)) {
      missing = hn::Or(missing, hn::AndNot(hn::LoadU(d, slices + s), hn::Load(d, words_ + s)));
    }
    return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }

 private:
  using Tag = hn::CappedTag<uint64_t, kSlices == 4 ? 4 : 8>;
  static constexpr size_t kMaxLanes = 8;

  HWY_ALIGN uint64_t words_[(kSlices + kMaxLanes - 1) / kMaxLanes * kMaxLanes];
#else
 public:
  explicit HWY_INLINE Marks64(uint64_t digest) : positions_(PositionWord(digest, kSlices)) {}

  HWY_INLINE bool ShownBy(const uint32_t* HWY_RESTRICT presence) const {
    uint64_t shown = 1;
    for (size_t s = 0; s < kSlices; ++s) {
      shown &= LoadPresenceWord64(presence + 2 * s) >> (positions_ >> (6 * s) & 63);
    }
    return shown != 0;
  }

 private:
  uint64_t positions_;
#endif
};

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
