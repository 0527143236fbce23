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

// Slices that a query of few probes reads: those of a block's first line, in at most two vectors.
template <size_t kSlices>
inline constexpr size_t kFewSlices = kSlices > 8 ? 8 : kSlices;

// The bits of a key in the first kRead of a block's kSlices slices of 32: one in each.
template <size_t kSlices, size_t kRead = kSlices>
class Marks32 {
 public:
  explicit HWY_INLINE Marks32(uint64_t digest) {
    const SliceTag<kRead> d;
    for (size_t s = 0; s < kRead; s += hn::Lanes(d)) {
      hn::Store(ProbeMask(d, digest, s), d, words_ + s);
    }
  }

  // Of the first num_probes slices only; the other words have no mark.
  HWY_INLINE Marks32(uint64_t digest, size_t num_probes) {
    const SliceTag<kRead> d;
    const auto end = hn::Set(d, static_cast<uint32_t>(num_probes));
    for (size_t s = 0; s < kRead; s += hn::Lanes(d)) {
      const auto is_probed = hn::Lt(hn::Iota(d, static_cast<uint32_t>(s)), end);
      hn::Store(hn::IfThenElseZero(is_probed, ProbeMask(d, digest, s)), d, words_ + s);
    }
  }

  // Are all marks set in these presence words?
  HWY_INLINE bool ShownBy(const uint32_t* HWY_RESTRICT presence) const {
    const SliceTag<kRead> d;
    auto missing = hn::Zero(d);
    for (size_t s = 0; s < kRead; s += hn::Lanes(d)) {
      missing = hn::Or(missing, hn::AndNot(LoadPresence(d, presence + s), hn::Load(d, words_ + s)));
    }
    return !AnyBit(d, missing);
  }

 private:
  HWY_ALIGN uint32_t words_[kRead];  // an array: vectors of some targets cannot be members
};

// Marks32 for slices of 64. With vectors of four words or more the slices move together; the last
// vector may reach beyond the presence words, but not out of the block's lines, and has no marks
// there. Otherwise a slice's word is shifted until its mark is the lowest bit.
template <size_t kSlices, size_t kRead = kSlices>
class Marks64 {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && !TROMMEL_ATOMIC_WORDS
 public:
  explicit HWY_INLINE Marks64(uint64_t digest) {
    alignas(64) static constexpr uint64_t kOnes[16] = {
        1, 1, 1, 1, kRead > 4, kRead > 5, kRead > 5, kRead > 5, kRead > 8, kRead > 8};
    const Tag d;
    for (size_t s = 0; s < kRead; s += hn::Lanes(d)) Mark(digest, hn::Load(d, kOnes + s), s);
  }

  HWY_INLINE Marks64(uint64_t digest, size_t num_probes) {
    const Tag d;
    const auto end = hn::Set(d, uint64_t{num_probes});
    for (size_t s = 0; s < kRead; s += hn::Lanes(d)) {
      const auto is_probed = hn::Lt(hn::Iota(d, uint64_t{s}), end);
      Mark(digest, hn::IfThenElseZero(is_probed, hn::Set(d, uint64_t{1})), s);
    }
  }

  HWY_INLINE bool ShownBy(const uint32_t* HWY_RESTRICT presence) const {
    const Tag d;
    const auto* slices = reinterpret_cast<const PresenceWord64*>(presence);
    auto missing = hn::Zero(d);
    for (size_t s = 0; s < kRead; s += hn::Lanes(d)) {
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

  HWY_ALIGN uint64_t words_[(kRead + kMaxLanes - 1) / kMaxLanes * kMaxLanes];
#else
 public:
  explicit HWY_INLINE Marks64(uint64_t digest) : Marks64(digest, kRead) {}
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
