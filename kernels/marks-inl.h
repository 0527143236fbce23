// What a key marks in a block, made once a key and shown to any number of blocks: the whole of a
// query. One class for slices of 32 positions, one for slices of 64. Included once per target.
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

// Slices that a query of few probes looks at: those of a block's first line, and no more than a
// vector or two.
template <size_t kSlices>
inline constexpr size_t kFewSlices = kSlices > 8 ? 8 : kSlices;

// What a key marks in the first kLooked of a block's kSlices slices of 32: one bit in each. Made
// once a key, shown to any number of blocks.
template <size_t kSlices, size_t kLooked = kSlices>
class Marks32 {
 public:
  explicit HWY_INLINE Marks32(uint64_t digest) {
    const SliceTag<kLooked> d;
    for (size_t s = 0; s < kLooked; s += hn::Lanes(d)) {
      hn::Store(ProbeMask(d, digest, s), d, words_ + s);
    }
  }

  // The first num_probes slices only; the others' words have no mark.
  HWY_INLINE Marks32(uint64_t digest, size_t num_probes) {
    const SliceTag<kLooked> d;
    const auto end = hn::Set(d, static_cast<uint32_t>(num_probes));
    for (size_t s = 0; s < kLooked; s += hn::Lanes(d)) {
      const auto is_probed = hn::Lt(hn::Iota(d, static_cast<uint32_t>(s)), end);
      hn::Store(hn::IfThenElseZero(is_probed, ProbeMask(d, digest, s)), d, words_ + s);
    }
  }

  // Does the block with these presence words show every mark?
  HWY_INLINE bool ShownBy(const uint32_t* HWY_RESTRICT presence) const {
    const SliceTag<kLooked> d;
    auto missing = hn::Zero(d);
    for (size_t s = 0; s < kLooked; s += hn::Lanes(d)) {
      missing = hn::Or(missing, hn::AndNot(LoadPresence(d, presence + s), hn::Load(d, words_ + s)));
    }
    return !AnyBit(d, missing);
  }

 private:
  HWY_ALIGN uint32_t words_[kLooked];  // an array: vectors of some targets cannot be members
};

// Marks32 for slices of 64. Where vectors hold four words or more they move together. The last
// vector may reach beyond the presence words, but not out of the block's lines; its further lanes
// have no mark. Elsewhere a slice's word is shifted until its mark is the lowest bit.
template <size_t kSlices, size_t kLooked = kSlices>
class Marks64 {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && !TROMMEL_ATOMIC_WORDS
 public:
  explicit HWY_INLINE Marks64(uint64_t digest) {
    alignas(64) static constexpr uint64_t kOnes[16] = {
        1, 1, 1, 1, kLooked > 4, kLooked > 5, kLooked > 5, kLooked > 5, kLooked > 8, kLooked > 8};
    const Tag d;
    for (size_t s = 0; s < kLooked; s += hn::Lanes(d)) Mark(digest, hn::Load(d, kOnes + s), s);
  }

  HWY_INLINE Marks64(uint64_t digest, size_t num_probes) {
    const Tag d;
    const auto end = hn::Set(d, uint64_t{num_probes});
    for (size_t s = 0; s < kLooked; s += hn::Lanes(d)) {
      const auto is_probed = hn::Lt(hn::Iota(d, uint64_t{s}), end);
      Mark(digest, hn::IfThenElseZero(is_probed, hn::Set(d, uint64_t{1})), s);
    }
  }

  HWY_INLINE bool ShownBy(const uint32_t* HWY_RESTRICT presence) const {
    const Tag d;
    const auto* slices = reinterpret_cast<const PresenceWord64*>(presence);
    auto missing = hn::Zero(d);
    for (size_t s = 0; s < kLooked; s += hn::Lanes(d)) {
      missing = hn::Or(missing, hn::AndNot(hn::LoadU(d, slices + s), hn::Load(d, words_ + s)));
    }
    return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }

 private:
  using Tag = hn::CappedTag<uint64_t, kSlices == 4 ? 4 : 8>;
  static constexpr size_t kMaxLanes = 8;

  // `one`: 1 in the lanes to mark, else 0.
  HWY_INLINE void Mark(uint64_t digest, hn::Vec<Tag> one, size_t s) {
    alignas(64) static constexpr uint64_t kShifts[16] = {0, 6, 12, 18, 24, 30, 36, 42, 48, 54};
    const Tag d;
    const auto shifted =
        hn::Shr(hn::Set(d, PositionWord(digest, kSlices)), hn::Load(d, kShifts + s));
    hn::Store(hn::Shl(one, hn::And(shifted, hn::Set(d, uint64_t{63}))), d, words_ + s);
  }

  HWY_ALIGN uint64_t words_[(kLooked + kMaxLanes - 1) / kMaxLanes * kMaxLanes];
#else
 public:
  explicit HWY_INLINE Marks64(uint64_t digest) : Marks64(digest, kLooked) {}
  HWY_INLINE Marks64(uint64_t digest, size_t num_probes)
      : positions_(PositionWord(digest, kSlices)), num_probes_(num_probes) {}

  HWY_INLINE bool ShownBy(const uint32_t* HWY_RESTRICT presence) const {
    uint64_t shown = 1;
    for (size_t s = 0; s < num_probes_; ++s) {
      shown &= LoadPresenceWord64(presence + 2 * s) >> (positions_ >> (6 * s) & 63);
    }
    return shown != 0;
  }

 private:
  uint64_t positions_;
  size_t num_probes_;
#endif
};

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
