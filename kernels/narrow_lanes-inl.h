// Queries of 64 keys at once (binned_lanes-inl.h) of fingerprint blocks with slots of 8 bits: a
// half of the bins is the unary string there. Included once per target.
#if defined(TROMMEL_KERNELS_NARROW_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_NARROW_LANES_INL_H_
#undef TROMMEL_KERNELS_NARROW_LANES_INL_H_
#else
#define TROMMEL_KERNELS_NARROW_LANES_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/binned_lanes-inl.h"
#include "kernels/fingerprint_layout.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

// What binned_lanes-inl.h needs.
struct NarrowLanes {
  static constexpr uint32_t kLeastBitsInLanes = 10;

  static HWY_INLINE LaneKeys KeysInLanes(LaneVec upper, LaneVec lower,
                                         const FingerprintBlocks& blocks) {
    const LaneTag d;
    const auto low_half = hn::Set(d, uint64_t{0xffffffff});
    const auto slot_mask = hn::Set(d, (uint64_t{1} << (blocks.fingerprint_bits - kBinBits)) - 1);
    const auto rest = hn::Or(hn::ShiftLeft<32>(upper), hn::And(lower, low_half));
    const int key_shift = 64 - static_cast<int>(blocks.fingerprint_bits);
    return {hn::ShiftRight<64 - static_cast<int>(kBinBits)>(rest),
            hn::And(hn::ShiftRightSame(rest, key_shift), slot_mask)};
  }
  static HWY_INLINE uint64_t AlsoEqual(uint64_t equal, uint64_t /*slot*/,
                                       const uint32_t* /*block*/) {
    return equal;
  }

  // Those of promoted blocks are open, and so are those with more than two equal slots, unless one
  // of the lowest two is theirs.
  static HWY_INLINE LaneAnswers AnswerInLanes(LaneVec w6, LaneVec w7, LaneVec bin, LaneVec equal) {
    const LaneTag d;
    const auto one = hn::Set(d, uint64_t{1});
    const auto minus_one = hn::Set(d, ~uint64_t{0});
    const auto empty = hn::Set(d, kEmptyBins);
    const auto first = hn::Xor(w6, empty);
    const auto second = hn::Xor(w7, empty);
    const auto rank = hn::And(bin, hn::Set(d, uint64_t{kBinsPerWord - 1}));
    const auto is_second = hn::Ne(rank, bin);
    const auto own = hn::IfThenElse(is_second, second, first);
    const auto promoted = hn::And(own, hn::Set(d, kPromotedBins));

    // The last 1 of the first word is bit 31 + its keys. That is the exponent of the word as a
    // number, which is not rounded up to the next: it has 32 1s, and 53 would be needed.
    const hn::Repartition<double, LaneTag> d_double;
    const auto number =
        hn::ConvertTo(d_double, hn::BitCast(hn::Repartition<int64_t, LaneTag>(), first));
    const auto exponent = hn::ShiftRight<52>(hn::BitCast(d, number));
    const auto keys_of_first = hn::Sub(exponent, hn::Set(d, uint64_t{1023 + kBinsPerWord - 1}));
    // From a slot's index to its 0, if it is in the bin.
    const auto to_zero = hn::Sub(rank, hn::IfThenElseZero(is_second, keys_of_first));

    // 0 if the lowest of these slots is in the bin. What is no slot of the half, or none at all,
    // has no bit in the word (x86 shifts by 64 or more to 0), or one with other 1s below.
    const auto miss = [&](auto slots, auto less_one) HWY_ATTR {
      const auto slot_idx = hn::PopulationCount(hn::AndNot(slots, less_one));
      const auto bit = hn::Shl(one, hn::Add(slot_idx, to_zero));
      const auto ones_below = hn::PopulationCount(hn::And(own, hn::Add(bit, minus_one)));
      return hn::Or(hn::And(own, bit), hn::Xor(ones_below, rank));
    };
    const auto all_slots = hn::Set(d, (uint64_t{1} << kNarrowSlots) - 1);
    const auto slots = hn::And(equal, all_slots);
    const auto slots_less_one = hn::Add(slots, minus_one);
    const auto more = hn::And(slots, slots_less_one);
    const auto more_less_one = hn::Add(more, minus_one);
    const auto rest = hn::And(more, more_less_one);
    const auto missed = hn::Min(miss(slots, slots_less_one), miss(more, more_less_one));
    const auto zero = hn::Zero(d);
    return {hn::Eq(hn::Or(missed, promoted), zero), hn::Ne(hn::Or(rest, promoted), zero)};
  }
};

#endif

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
