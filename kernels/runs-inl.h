// The run layout: updates and queries of a key slice by slice. Included once per target.
//
// An update of a slice is a rank, a select and a shift (run_slice.h), which are fastest in scalar
// registers: vectors have no select, and composing it from sums and halvings costs more than eight
// slices gain (bench/README.md). Positions and presence words of 8 x 32 still move as vectors,
// and so does, where a vector is a block, all but the select of an insertion (run_lanes-inl.h).
#if defined(TROMMEL_KERNELS_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_RUNS_INL_H_
#undef TROMMEL_KERNELS_RUNS_INL_H_
#else
#define TROMMEL_KERNELS_RUNS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/marks-inl.h"
#include "kernels/run_block.h"
#include "kernels/run_lanes-inl.h"
#include "kernels/run_slice.h"
#include "kernels/select-inl.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {

// The slices of a block: how a key changes their presence bits and run strings. `Strings` has
// Get(s) and Put(s, runs), each called once per slice.
template <size_t kSlices>
struct Slices {
  static constexpr bool kIsWide = SlicePositions(kSlices) == 64;
  static constexpr uint64_t kTopBit = uint64_t{1} << 63;

  // 63 - position in each slice: a left shift by it moves the position's bit to the top.
  class Shifts {
   public:
    explicit HWY_INLINE Shifts(uint64_t digest) {
      if constexpr (kIsWide) {
        turned_ = ~PositionWord(digest, kSlices);
      } else {
        const SliceTag d;
        for (size_t s = 0; s < kSlices; s += hn::Lanes(d)) {
          hn::Store(hn::Sub(hn::Set(d, 63U), ProbePositions(d, digest, s)), d, shifts_ + s);
        }
      }
    }
    HWY_INLINE uint32_t At(size_t s) const {
      if constexpr (!kIsWide) return shifts_[s];
      // The complement of 6 bits is 63 less them.
      return static_cast<uint32_t>(turned_ >> (6 * s)) & 63;
    }

   private:
    uint64_t turned_ = 0;
    HWY_ALIGN uint32_t shifts_[kIsWide ? 1 : kSlices];
  };

  static HWY_INLINE uint64_t Load(const uint32_t* presence, size_t s) {
    if constexpr (kIsWide) return LoadPresenceWord64(presence + 2 * s);
    return LoadPresenceWord(presence + s);
  }
  static HWY_INLINE void Store(uint64_t value, uint32_t* presence, size_t s) {
    if constexpr (kIsWide) return StorePresenceWord64(value, presence + 2 * s);
    StorePresenceWord(static_cast<uint32_t>(value), presence + s);
  }

  // The 1 behind a position's run: see RunEnd.
  static HWY_INLINE uint64_t End(uint64_t presence, uint64_t runs, uint32_t position) {
    return RankSelect::One(runs, RankSelect::Ones(presence << (63 - position)));
  }

  // Counts one key more. Requires that the strings have their closing 1 and space for a key.
  template <class Strings>
  static HWY_INLINE void Increment(uint64_t digest, uint32_t* HWY_RESTRICT presence,
                                   Strings& strings) {
    const Shifts shifts(digest);
    HWY_UNROLL(16)
    for (size_t s = 0; s < kSlices; ++s) {
      const uint64_t present = Load(presence, s);
      const uint64_t runs = strings.Get(s);
      const uint64_t up_to = present << shifts.At(s);  // the position's bit on top
      const uint64_t end = RankSelect::One(runs, RankSelect::Ones(up_to));
      Store(present | kTopBit >> shifts.At(s), presence, s);
      strings.Put(s, WithKey(runs, end, static_cast<int64_t>(up_to) < 0));
    }
  }

  // Counts one key less. Requires that all its positions are present. The last key leaves the
  // closing 1.
  template <class Strings>
  static HWY_INLINE void Decrement(uint64_t digest, uint32_t* HWY_RESTRICT presence,
                                   Strings& strings) {
    const Shifts shifts(digest);
    HWY_UNROLL(16)
    for (size_t s = 0; s < kSlices; ++s) {
      const uint64_t present = Load(presence, s);
      const uint64_t runs = strings.Get(s);
      const uint64_t end = RankSelect::One(runs, RankSelect::Ones(present << shifts.At(s)));
      // The bit to clear if the position has only this key, else 0. A branch would be
      // unpredictable.
      const uint64_t emptied = IsLastOfRun(runs, end) ? kTopBit : 0;
      Store(present ^ emptied >> shifts.At(s), presence, s);
      strings.Put(s, RankSelect::Without(runs, end >> 1));
    }
  }
};

// The layout that kernels are templates of.
template <size_t kSlices>
struct Runs {
  using Strings = RunStrings<kSlices>;
  using OfSlices = Slices<kSlices>;
  using Marks = std::conditional_t<OfSlices::kIsWide, Marks64<kSlices>, Marks32>;
  static constexpr size_t kNumSlices = kSlices;
  static constexpr size_t kWords = RunBlockWords(kSlices);
  static constexpr size_t kPresenceStride = kWords;
  static constexpr bool kSpillsFull = true;  // the number of keys alone decides

  struct Block {
    uint32_t* presence;
    uint32_t* counts() const { return presence + PresenceWords(kSlices); }
  };

  static HWY_INLINE Block BlockAt(const Blocks& blocks, uint64_t block_idx) {
    return {blocks.presence + block_idx * kWords};
  }
  static HWY_INLINE const uint32_t* PresenceAt(const uint32_t* presence, uint64_t block_idx) {
    return presence + block_idx * kWords;
  }

  static HWY_INLINE void Prefetch(const Block& block) { PrefetchPresence(block.presence); }
  static HWY_INLINE void PrefetchPresence(const uint32_t* presence) {
    constexpr size_t kWordsPerLine = 16;
    for (size_t i = 0; i < kWords; i += kWordsPerLine) hwy::Prefetch(presence + i);
  }

  static HWY_INLINE bool ShowsAll(uint64_t digest, const uint32_t* HWY_RESTRICT presence) {
    return Marks(digest).ShownBy(presence);
  }

  static HWY_INLINE OneFate TryInsert(uint64_t digest, const Block& block) {
    Strings strings(block.counts());
    const uint64_t runs0 = strings.Get(0);
    if (HWY_UNLIKELY(runs0 - 1 >= Strings::kFull - 1)) {  // full, or 0, which wraps around
      if (runs0 != 0) return OneFate::kStop;
      if (OfSlices::Load(block.presence, 0) != 0) return OneFate::kSpill;
      InsertFirstKey(digest, block);
      return OneFate::kDone;
    }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL && !TROMMEL_ATOMIC_WORDS
    if constexpr (kSlices == 5) {
      IncrementFiveRuns(digest, block.presence);
      return OneFate::kDone;
    }
#endif
    OfSlices::Increment(digest, block.presence, strings);
    strings.Finish();
    return OneFate::kDone;
  }

  static HWY_INLINE OneFate TryErase(uint64_t digest, const Block& block) {
    Strings strings(block.counts());
    const uint64_t runs0 = strings.Get(0);
    if (HWY_UNLIKELY(runs0 <= kOneKeyRuns)) {
      if (runs0 == 0) return OneFate::kSpill;  // promoted: it shows a key, so it is not empty
      EraseLastKey(block);
      return OneFate::kDone;
    }
    OfSlices::Decrement(digest, block.presence, strings);
    strings.Finish();
    return OneFate::kDone;
  }

  static void InsertFirstKey(uint64_t digest, const Block& block) {
    Strings strings(block.counts());
    const typename OfSlices::Shifts shifts(digest);
    for (size_t s = 0; s < kSlices; ++s) {
      OfSlices::Store(OfSlices::kTopBit >> shifts.At(s), block.presence, s);
      strings.Put(s, kOneKeyRuns);
    }
    strings.Finish();
  }

  static void EraseLastKey(const Block& block) {
    Strings strings(block.counts());
    for (size_t s = 0; s < kSlices; ++s) {
      OfSlices::Store(0, block.presence, s);
      strings.Put(s, 0);
    }
    strings.Finish();
  }
};

// Calls visit(layout, table) for each run layout with its table.
template <class Visit>
void ForEachRunLayout(KernelTable& kernels, const Visit& visit) {
  visit(Runs<4>(), kernels.runs4);
  visit(Runs<5>(), kernels.runs5);
  visit(Runs<8>(), kernels.runs8);
  visit(Runs<10>(), kernels.runs10);
}

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
