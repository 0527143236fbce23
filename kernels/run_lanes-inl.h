// An insertion into a block of 5 slices of runs with the slices in lanes, for targets whose vector
// is a block and that count the bits of lanes. Included once per target.
//
// Everything but the select is done for all slices at once: presence bits, ranks, the strings taken
// apart and put together. Ranks and strings go through memory to the scalar select (select-inl.h),
// for which vectors have no instruction.
//
//   words of 32   | 0 .. 9 presence, 5 x 64 | 10 .. 14 low parts | 15 high parts, 5 x 6 bits |
#if defined(TROMMEL_KERNELS_RUN_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_RUN_LANES_INL_H_
#undef TROMMEL_KERNELS_RUN_LANES_INL_H_
#else
#define TROMMEL_KERNELS_RUN_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/layout.h"
#include "kernels/presence_words.h"
#include "kernels/select-inl.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL && !TROMMEL_ATOMIC_WORDS

// Counts one key more in every slice. Requires a block that has keys, is not promoted, and has
// space for one.
HWY_INLINE void IncrementFiveRuns(uint64_t digest, uint32_t* HWY_RESTRICT block) {
  constexpr size_t kFive = 5;
  constexpr size_t kLow = 2 * kFive;  // word of the first low part
  constexpr uint64_t kPart = 63;      // a high part
  const hn::FixedTag<uint64_t, 8> d;
  const hn::FixedTag<uint32_t, 16> d32;
  // Lanes 5 to 7 are no slices: what they hold does not get back into the block.
  alignas(64) static constexpr uint32_t kLowWords[16] = {10, 10, 11, 11, 12, 12, 13, 13,
                                                         14, 14, 14, 14, 14, 14, 14, 14};
  alignas(64) static constexpr uint32_t kHighWords[16] = {15, 15, 15, 15, 15, 15, 15, 15,
                                                          15, 15, 15, 15, 15, 15, 15, 15};
  alignas(64) static constexpr uint32_t kLowParts[16] = {0, 0, 0, 0, 0, 0, 0, 0,
                                                         0, 0, 0, 2, 4, 6, 8, 8};
  alignas(64) static constexpr uint64_t kFields[8] = {0, 6, 12, 18, 24, 63, 63, 63};
  alignas(64) static constexpr uint64_t kToParts[8] = {32, 26, 20, 14, 8, 0, 0, 0};
  alignas(64) static constexpr uint64_t kParts[8] = {
      kPart, kPart << 6, kPart << 12, kPart << 18, kPart << 24, 0, 0, 0};

  const auto words = hn::Load(d32, block);
  const auto presence = hn::BitCast(d, words);
  const auto fields = hn::Load(d, kFields);
  const auto low_words = hn::TableLookupLanes(words, hn::SetTableIndices(d32, kLowWords));
  const auto low = hn::And(hn::BitCast(d, low_words), hn::Set(d, uint64_t{0xffffffff}));
  // Both halves of a lane are all high parts: shifted down, its own is above the low part.
  const auto high_words = hn::TableLookupLanes(words, hn::SetTableIndices(d32, kHighWords));
  const auto high = hn::Shr(hn::BitCast(d, high_words), fields);
  const auto runs = hn::Or(low, hn::And(high, hn::Set(d, kPart << 32)));

  // As Slices::Increment: 63 - position is the complement of the position's 6 bits.
  const auto turned = hn::Shr(hn::Set(d, ~PositionWord(digest, kFive)), fields);
  const auto shift = hn::And(turned, hn::Set(d, uint64_t{63}));
  const auto bit = hn::Shr(hn::Set(d, uint64_t{1} << 63), shift);
  alignas(64) uint64_t ranks[8];
  alignas(64) uint64_t strings[8];
  hn::Store(hn::PopulationCount(hn::Shl(presence, shift)), d, ranks);
  hn::Store(runs, d, strings);
  const auto end_of = [&](size_t s) HWY_ATTR {
    return hn::Set(d, RankSelect::One(strings[s], static_cast<uint32_t>(ranks[s])));
  };
  auto end = end_of(4);
  end = hn::IfThenElse(hn::FirstN(d, 4), end_of(3), end);
  end = hn::IfThenElse(hn::FirstN(d, 3), end_of(2), end);
  end = hn::IfThenElse(hn::FirstN(d, 2), end_of(1), end);
  end = hn::IfThenElse(hn::FirstN(d, 1), end_of(0), end);

  // WithKey of run_slice.h.
  const auto zero = hn::Zero(d);
  const auto is_new = hn::Eq(hn::And(presence, bit), zero);
  const auto longer = hn::Add(runs, hn::And(runs, hn::Sub(zero, end)));
  const auto changed = hn::Or(longer, hn::IfThenElseZero(is_new, end));

  const auto low_parts =
      hn::TableLookupLanes(hn::BitCast(d32, changed), hn::SetTableIndices(d32, kLowParts));
  const auto shown = hn::BitCast(d32, hn::Or(presence, bit));
  hn::Store(hn::IfThenElse(hn::FirstN(d32, kLow), shown, low_parts), d32, block);
  const auto parts = hn::And(hn::Shr(changed, hn::Load(d, kToParts)), hn::Load(d, kParts));
  block[kLow + kFive] = static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d, parts)));
}

#endif

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
