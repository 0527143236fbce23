// The bits of dense blocks (dense_layout.h), and queries of 64 keys at once (binned_lanes-inl.h).
// Included once per target.
#if defined(TROMMEL_KERNELS_DENSE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_DENSE_LANES_INL_H_
#undef TROMMEL_KERNELS_DENSE_LANES_INL_H_
#else
#define TROMMEL_KERNELS_DENSE_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include "hwy/highway.h"
#include "kernels/binned_lanes-inl.h"
#include "kernels/byte_slots-inl.h"
#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/presence_words.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// What is where in blocks of a shape; the unary string is in the last two words.
template <DenseShape kShape>
struct DenseBits {
  static constexpr uint32_t kFirst = kShape.unary_begin() - 384;  // bit of the string
  static constexpr DenseWord kEmpty = ((DenseWord{1} << kShape.bins) - 1) << kFirst;
  static constexpr auto kEmptyLow = static_cast<uint64_t>(kEmpty);
  static constexpr auto kEmptyHigh = static_cast<uint64_t>(kEmpty >> 64);
  static constexpr uint64_t kLowBits = ~uint64_t{0} << kFirst;
  static constexpr uint64_t kCut = uint64_t{1} << 63;
  static constexpr uint64_t kCounted = uint64_t{1} << 62;
  static constexpr uint64_t kSpilled = uint64_t{1} << 61;  // of a block that is cut
  static constexpr uint64_t kAllSlots = (uint64_t{1} << kShape.slots) - 1;

  // Where a plane begins is a constant to code that is written for each of them.
  using Planes = std::make_index_sequence<kShape.num_planes()>;

  // The i-th plane's bits, and others behind them.
  static HWY_INLINE uint64_t Plane(const uint32_t* block, size_t i) {
    const size_t first = kShape.plane_begin(static_cast<uint32_t>(i));
    const uint64_t bits = LoadPresenceWord64(block + first / 64 * 2) >> first % 64;
    if (first % 64 + kShape.slots <= 64) return bits;
    return bits | LoadPresenceWord64(block + first / 64 * 2 + 2) << (64 - first % 64);
  }

  // Bits of a remainder from which on they are in planes.
  static constexpr uint32_t kByteBits = 8 * kShape.num_bytes();

  // The slots that are equal to a remainder, of which these have its low byte.
  static HWY_INLINE uint64_t AlsoEqual(uint64_t equal, uint64_t remainder, const uint32_t* block) {
    if constexpr (kShape.num_bytes() == 2) {
      equal &= BytesEqual(block, static_cast<uint32_t>(remainder >> 8) & 0xff) >> kShape.slots;
    }
    return equal & kAllSlots & ~Unequal(remainder, block, Planes());
  }
  template <size_t... kIdx>
  static HWY_INLINE uint64_t Unequal([[maybe_unused]] uint64_t remainder,
                                     [[maybe_unused]] const uint32_t* block,
                                     std::index_sequence<kIdx...> /*planes*/) {
    return (uint64_t{0} | ... | (Plane(block, kIdx) ^ (0 - (remainder >> (kByteBits + kIdx) & 1))));
  }
};

template <DenseShape kShape>
struct DenseLanes : DenseBits<kShape> {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

  static constexpr uint32_t kLeastBitsInLanes = 4;

  static HWY_INLINE LaneKeys KeysInLanes(LaneVec upper, LaneVec lower,
                                         const FingerprintBlocks& blocks) {
    const LaneTag d;
    const hn::Repartition<uint32_t, LaneTag> d32;
    const int bits = static_cast<int>(blocks.fingerprint_bits);
    const auto num_keys = hn::BitCast(d32, hn::Set(d, uint64_t{kShape.bins} << bits));
    const auto product = [&](LaneVec half)
                             HWY_ATTR { return hn::MulEven(hn::BitCast(d32, half), num_keys); };
    // DenseLayout::KeyOf
    const auto key =
        hn::ShiftRight<32>(hn::Add(product(upper), hn::ShiftRight<32>(product(lower))));
    return {hn::ShiftRightSame(key, bits), hn::And(key, hn::Set(d, (uint64_t{1} << bits) - 1))};
  }

  // Keys of bins that are cut are open, and so are those with more than two equal slots, unless one
  // of the lowest two is theirs.
  static HWY_INLINE LaneAnswers AnswerInLanes(LaneVec w6, LaneVec w7, LaneVec bin, LaneVec equal) {
    using Bits = DenseBits<kShape>;
    const LaneTag d;
    const auto zero = hn::Zero(d);
    const auto one = hn::Set(d, uint64_t{1});
    const auto minus_one = hn::Set(d, ~uint64_t{0});
    const auto word_bits = hn::Set(d, uint64_t{64});
    const auto low = hn::And(hn::Xor(w6, hn::Set(d, Bits::kEmptyLow)), hn::Set(d, Bits::kLowBits));
    const auto is_cut = hn::TestBit(w7, hn::Set(d, Bits::kCut));
    const auto flags =
        hn::IfThenElse(is_cut, hn::Set(d, Bits::kCut | Bits::kCounted | Bits::kSpilled),
                       hn::Set(d, Bits::kCounted));
    const auto high = hn::AndNot(flags, hn::Xor(w7, hn::Set(d, Bits::kEmptyHigh)));
    const auto num_low = hn::PopulationCount(low);
    const auto num_shown = hn::Add(num_low, hn::PopulationCount(high));
    const auto is_shown = hn::Lt(bin, num_shown);

    constexpr uint64_t kBias = 1023;
    const auto first = hn::Add(bin, hn::Set(d, uint64_t{Bits::kFirst} - kBias));
    // Is the lowest of these slots in the bin? Its index is the exponent of its bit as a number.
    const auto is_in = [&](auto slots) HWY_ATTR {
      const hn::Repartition<double, LaneTag> d_double;
      const hn::Repartition<int64_t, LaneTag> d_signed;
      const auto lowest = hn::And(slots, hn::Sub(zero, slots));
      const auto number = hn::ConvertTo(d_double, hn::BitCast(d_signed, lowest));
      const auto at = hn::Add(hn::ShiftRight<52>(hn::BitCast(d, number)), first);
      const auto is_high = hn::TestBit(at, word_bits);
      const auto word = hn::IfThenElse(is_high, high, low);
      const auto rank = hn::Sub(bin, hn::IfThenElseZero(is_high, num_low));
      const auto bit = hn::Shl(one, hn::And(at, hn::Set(d, uint64_t{63})));
      const auto ones_below = hn::PopulationCount(hn::And(word, hn::Add(bit, minus_one)));
      const auto miss = hn::Or(hn::And(word, bit), hn::Xor(ones_below, rank));
      return hn::And(hn::Eq(miss, zero), hn::Ne(slots, zero));
    };
    const auto more = hn::And(equal, hn::Add(equal, minus_one));
    const auto rest = hn::And(more, hn::Add(more, minus_one));
    const auto shown = hn::Or(is_in(equal), is_in(more));
    return {hn::And(shown, is_shown), hn::Or(hn::Ne(rest, zero), hn::Not(is_shown))};
  }

#endif
};

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
