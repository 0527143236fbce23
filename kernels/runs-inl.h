// The run layout: a key of a block, slice by slice. Included once per target.
//
// A slice's work is a rank, a select and a shift (run_slice.h), which scalar registers do best: a
// vector has no select, and building it from sums and halvings costs more than eight slices gain
// (bench/README.md). Positions and presence words of 8 x 32 still move as vectors.
#if defined(TROMMEL_KERNELS_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_RUNS_INL_H_
#undef TROMMEL_KERNELS_RUNS_INL_H_
#else
#define TROMMEL_KERNELS_RUNS_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/cpu.h"
#include "kernels/run_block.h"
#include "kernels/run_slice.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {

// How this target finds the k-th 1 of a word. Highway's AVX2 and better imply BMI2, whose PDEP puts
// a bit where the k-th 1 is.
struct PlainSelect {
  static HWY_INLINE uint64_t One(uint64_t word, uint32_t k) { return SelectOne(word, k); }
};
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_BMI2_FMA)
#define TROMMEL_HAS_DEPOSIT 1
struct DepositSelect {
  static HWY_INLINE uint64_t One(uint64_t word, uint32_t k) {
    return _pdep_u64(uint64_t{1} << k, word);
  }
};
#else
#define TROMMEL_HAS_DEPOSIT 0
#endif

// Does a block of slices of 64 show every bit of the digest?
template <size_t kSlices>
HWY_INLINE bool ShowsAll64(uint64_t digest, const uint32_t* HWY_RESTRICT presence) {
  uint64_t shown = 1;
  for (size_t s = 0; s < kSlices; ++s) {
    shown &= LoadPresenceWord64(presence + 2 * s) >> Position(digest, s, kSlices);
  }
  return shown != 0;
}

// The layout that kernels are templates of.
template <size_t kSlices, class SelectOfCpu>
struct Runs {
  using Select = SelectOfCpu;
  using Strings = RunStrings<kSlices>;
  static constexpr size_t kNumSlices = kSlices;
  static constexpr size_t kWords = RunBlockWords(kSlices);
  static constexpr size_t kPresenceWords = PresenceWords(kSlices);
  static constexpr bool kIsWide = SlicePositions(kSlices) == 64;

  struct Block {
    uint32_t* presence;
    uint32_t* counts() const { return presence + kPresenceWords; }
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
    if constexpr (kIsWide) return ShowsAll64<kSlices>(digest, presence);
    return ShowsAll32<kSlices>(digest, presence);
  }

  static HWY_INLINE Fate TryAdd(uint64_t digest, const Block& block) {
    Strings strings(block.counts());
    const uint64_t runs0 = strings.Get(0);
    // 0, which wraps around, or full.
    if (HWY_UNLIKELY(runs0 - 1 >= Strings::kFull - 1)) {
      if (runs0 != 0) return Fate::kStop;
      if (LoadSlice(block, 0) != 0) return Fate::kSpill;
      const Marks marks(digest);
      for (size_t s = 0; s < kSlices; ++s) {
        StoreSlice(block, s, marks.At(s));
        strings.Put(s, kOneKeyRuns);
      }
      strings.Finish();
      return Fate::kDone;
    }
    const Marks marks(digest);
    for (size_t s = 0; s < kSlices; ++s) {
      const uint64_t mark = marks.At(s);
      const uint64_t presence = LoadSlice(block, s);
      const uint64_t runs = strings.Get(s);
      const uint64_t begin = Begin(presence, runs, mark);
      StoreSlice(block, s, presence | mark);
      strings.Put(s, WithKey(runs, begin, (presence & mark) != 0));
    }
    strings.Finish();
    return Fate::kDone;
  }

  static HWY_INLINE Fate TryTake(uint64_t digest, const Block& block) {
    Strings strings(block.counts());
    const uint64_t runs0 = strings.Get(0);
    if (HWY_UNLIKELY(runs0 == 0)) return Fate::kSpill;  // it shows a key, so it is not empty
    if (HWY_UNLIKELY(runs0 == kOneKeyRuns)) {           // the last key
      for (size_t s = 0; s < kSlices; ++s) {
        StoreSlice(block, s, 0);
        strings.Put(s, 0);
      }
      strings.Finish();
      return Fate::kDone;
    }
    const Marks marks(digest);
    for (size_t s = 0; s < kSlices; ++s) {
      const uint64_t mark = marks.At(s);
      const uint64_t presence = LoadSlice(block, s);
      const uint64_t runs = strings.Get(s);
      const uint64_t begin = Begin(presence, runs, mark);
      StoreSlice(block, s, IsLastOfRun(runs, begin) ? presence & ~mark : presence);
      strings.Put(s, WithKeyLess(runs, begin));
    }
    strings.Finish();
    return Fate::kDone;
  }

  // The bit that the digest marks in each slice.
  class Marks {
   public:
    explicit HWY_INLINE Marks(uint64_t digest) : digest_(digest) {
      if constexpr (!kIsWide) {
        const SliceTag<kSlices> d;
        for (size_t s = 0; s < kSlices; s += hn::Lanes(d)) {
          hn::Store(ProbeMask(d, digest, s), d, marks_ + s);
        }
      }
    }
    HWY_INLINE uint64_t At(size_t s) const {
      if constexpr (kIsWide) return uint64_t{1} << Position(digest_, s, kSlices);
      return marks_[s];
    }

   private:
    uint64_t digest_;
    HWY_ALIGN uint32_t marks_[kIsWide ? 1 : kSlices];
  };

  // Where a position's run begins or would begin.
  static HWY_INLINE uint64_t Begin(uint64_t presence, uint64_t runs, uint64_t mark) {
    return Select::One(runs, RunRank(presence, mark));
  }

  static HWY_INLINE uint64_t LoadSlice(const Block& block, size_t s) {
    if constexpr (kIsWide) return LoadPresenceWord64(block.presence + 2 * s);
    return LoadPresenceWord(block.presence + s);
  }
  static HWY_INLINE void StoreSlice(const Block& block, size_t s, uint64_t value) {
    if constexpr (kIsWide) return StorePresenceWord64(value, block.presence + 2 * s);
    StorePresenceWord(static_cast<uint32_t>(value), block.presence + s);
  }
};

// Calls visit(layout, table) for each run layout with its table, the layouts made for the way this
// CPU selects best.
template <class Visit>
void ForEachRunLayout(Kernels& kernels, const Visit& visit) {
  const auto with = [&]<class Select>(Select) {
    visit(Runs<4, Select>(), kernels.runs4);
    visit(Runs<5, Select>(), kernels.runs5);
    visit(Runs<8, Select>(), kernels.runs8);
    visit(Runs<10, Select>(), kernels.runs10);
  };
#if !TROMMEL_HAS_DEPOSIT
  with(PlainSelect());
#elif HWY_TARGET == HWY_AVX2
  HasFastDeposit() ? with(DepositSelect()) : with(PlainSelect());
#else  // no CPU with AVX-512 has a slow one
  with(DepositSelect());
#endif
}

#undef TROMMEL_HAS_DEPOSIT

}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
