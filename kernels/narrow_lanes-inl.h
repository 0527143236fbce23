// Queries of fingerprint blocks with slots of 8 bits (fingerprint_layout.h) by steps of 64 keys,
// for targets that compare a block in one vector. Included once per target.
//
//   Place     where the keys belong, eight at a time
//   Compare   which slots of their blocks are equal, one key at a time
//   Answer    is one of these in the key's bin? eight at a time
//
// A slot is in bin k of its half iff k 1s of the bin word are below the slot's 0. The 0 of the
// half's slot j can then only be bit j + k: one look there and one count replace the search for the
// bin's ends.
//
//   bins             0 1 | 0 0 1 | 1 | ..   first bit first
//   slot 2, bin 1    bit 3 is a 0, and one 1 is below it: it is
//   slot 2, bin 2    bit 4 is a 1: it is not
//   slot 1, bin 0    bit 1 is a 1: it is not
#if defined(TROMMEL_KERNELS_NARROW_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_NARROW_LANES_INL_H_
#undef TROMMEL_KERNELS_NARROW_LANES_INL_H_
#else
#define TROMMEL_KERNELS_NARROW_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/all_versions-inl.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "kernels/narrow_key-inl.h"
#include "kernels/narrow_slots-inl.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

// With fewer bits more than two slots are equal too often.
inline constexpr uint32_t kLeastBitsInLanes = 10;

// 64 keys on their way through the steps. What a step writes one by one is read as vectors only
// after another 64 keys have been compared: a vector that covers several stores waits until all of
// them have left the CPU.
template <template <size_t> class Reads>
class NarrowLanes {
 public:
  static constexpr size_t kSize = 64;

  HWY_INLINE void Place(const uint64_t* HWY_RESTRICT digests, const FingerprintBlocks& blocks) {
    const Tag d;
    const hn::Repartition<uint32_t, Tag> d32;
    constexpr int kBinShift = 64 - static_cast<int>(kBinBits);
    const auto num_blocks = hn::Set(d32, static_cast<uint32_t>(blocks.num_blocks));
    const auto words = hn::Set(d, uint64_t{reinterpret_cast<uintptr_t>(blocks.words)});
    const auto low_half = hn::Set(d, uint64_t{0xffffffff});
    const auto slot_mask = hn::Set(d, (uint64_t{1} << (blocks.fingerprint_bits - kBinBits)) - 1);
    const int key_shift = 64 - static_cast<int>(blocks.fingerprint_bits);
    for (size_t j = 0; j < kSize; j += hn::Lanes(d)) {
      const auto digest = hn::LoadU(d, digests + j);
      // FingerprintPlaceOf: the product in parts of 32 bits. There are less than 2^31 blocks, so no
      // sum is too large.
      const auto low = hn::MulEven(hn::BitCast(d32, digest), num_blocks);
      const auto high = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(digest)), num_blocks);
      const auto upper = hn::Add(high, hn::ShiftRight<32>(low));
      const auto block_idx = hn::ShiftRight<32>(upper);
      const auto rest = hn::Or(hn::ShiftLeft<32>(upper), hn::And(low, low_half));
      hn::Store(hn::Add(words, hn::ShiftLeft<6>(block_idx)), d, addresses_ + j);
      hn::Store(hn::ShiftRight<kBinShift>(rest), d, bins_ + j);
      hn::Store(hn::And(hn::ShiftRightSame(rest, key_shift), slot_mask), d, slots_ + j);
      if constexpr (Reads<kSize>::kHasVersions) {
        const auto range =
            hn::ShiftRightSame(hn::ShiftRight<1>(digest), 63 - static_cast<int>(blocks.range_bits));
        const auto version = hn::Add(hn::ShiftRight<6>(block_idx), range);  // VersionOf
        const auto versions = hn::Set(d, uint64_t{reinterpret_cast<uintptr_t>(blocks.versions)});
        hn::Store(hn::Add(versions, hn::ShiftLeft<3>(version)), d, reads_.addresses + j);
      }
    }
  }

  HWY_INLINE void Prefetch(size_t j) const { hwy::Prefetch(BlockAt(j)); }

  // Prefetches the blocks of `next`, unless it is null, one for each that it compares.
  template <bool kFetches>
  HWY_INLINE void Compare(const NarrowLanes* next) {
    const SlotsTag<16> d_slots;
    const WordsOfSlotsTag<16> d_block;
    const WordsOfSlotsTag<4> d_bins;
    const hn::Repartition<uint64_t, WordsOfSlotsTag<4>> d_pair;
    reads_.Begin(0, kSize);
    HWY_UNROLL(4)
    for (size_t j = 0; j < kSize; ++j) {
      if constexpr (kFetches) next->Prefetch(j);
      const uint32_t* block = BlockAt(j);
      const auto slots = hn::BitCast(d_slots, LoadPresence(d_block, block));
      const auto slot = hn::Set(d_slots, static_cast<uint8_t>(slots_[j]));
      hn::StoreMaskBits(d_slots, hn::Eq(slots, slot), reinterpret_cast<uint8_t*>(equal_ + j));
      const auto bins = LoadPresence(d_bins, block + NarrowBins::kWordIdx);
      hn::Store(hn::BitCast(d_pair, bins), d_pair, bin_words_ + 2 * j);
    }
  }

  // Which keys are shown, and which of the others are to be looked up by themselves; the rest are
  // absent.
  struct Answers {
    uint64_t shown;
    uint64_t open;
  };
  HWY_INLINE Answers Answer() const {
    uint8_t shown_bytes[kSize / 8];
    uint8_t open_bytes[kSize / 8];
    for (size_t j = 0; j < kSize; j += hn::Lanes(Tag())) {
      AnswerEight(j, shown_bytes + j / 8, open_bytes + j / 8);
    }
    Answers answers;
    std::memcpy(&answers.shown, shown_bytes, sizeof(answers.shown));
    std::memcpy(&answers.open, open_bytes, sizeof(answers.open));
    answers.open = (answers.open | reads_.Changed(0, kSize)) & ~answers.shown;
    return answers;
  }

 private:
  using Tag = hn::FixedTag<uint64_t, 8>;

  HWY_INLINE const uint32_t* BlockAt(size_t j) const {
    return reinterpret_cast<const uint32_t*>(static_cast<uintptr_t>(addresses_[j]));
  }

  // Those of promoted blocks are open, and so are those with more than two equal slots, unless one
  // of the lowest two is theirs.
  HWY_INLINE void AnswerEight(size_t j, uint8_t* shown, uint8_t* open) const {
    const Tag d;
    const auto one = hn::Set(d, uint64_t{1});
    const auto minus_one = hn::Set(d, ~uint64_t{0});
    const auto empty = hn::Set(d, kEmptyBins);
    const auto low_pairs = hn::Load(d, bin_words_ + 2 * j);
    const auto high_pairs = hn::Load(d, bin_words_ + 2 * j + hn::Lanes(d));
    const auto first = hn::Xor(hn::ConcatEven(d, high_pairs, low_pairs), empty);
    const auto second = hn::Xor(hn::ConcatOdd(d, high_pairs, low_pairs), empty);
    const auto bin = hn::Load(d, bins_ + j);
    const auto rank = hn::And(bin, hn::Set(d, uint64_t{kBinsPerWord - 1}));
    const auto is_second = hn::Ne(rank, bin);
    const auto own = hn::IfThenElse(is_second, second, first);
    const auto promoted = hn::And(own, hn::Set(d, kPromotedBins));

    // The last 1 of the first word is bit 31 + its keys. That is the exponent of the word as a
    // number, which is not rounded up to the next: it has 32 1s, and 53 would be needed.
    const hn::Repartition<double, Tag> d_double;
    const auto number =
        hn::ConvertTo(d_double, hn::BitCast(hn::Repartition<int64_t, Tag>(), first));
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
    const auto slots = hn::And(hn::Load(d, equal_ + j), all_slots);
    const auto slots_less_one = hn::Add(slots, minus_one);
    const auto more = hn::And(slots, slots_less_one);
    const auto more_less_one = hn::Add(more, minus_one);
    const auto rest = hn::And(more, more_less_one);
    const auto missed = hn::Min(miss(slots, slots_less_one), miss(more, more_less_one));
    const auto zero = hn::Zero(d);
    hn::StoreMaskBits(d, hn::Eq(hn::Or(missed, promoted), zero), shown);
    hn::StoreMaskBits(d, hn::Ne(hn::Or(rest, promoted), zero), open);
  }

  alignas(64) uint64_t addresses_[kSize];  // of blocks
  alignas(64) uint64_t bins_[kSize];
  alignas(64) uint64_t slots_[kSize];
  alignas(64) uint64_t equal_[kSize];  // the block's slots that are, and 16 bits that do not count
  alignas(64) uint64_t bin_words_[2 * kSize];
  Reads<kSize> reads_;
};

// What is done of a batch's words of 64 keys.
struct NarrowProgress {
  size_t num_words = 0;
  size_t num_unsure = 0;
};

// Answers the words from `done` on. With kIsQuiet no version is read key by key, and the words
// after the last at which all versions had stayed what they were are not done.
template <class Select, template <size_t> class Reads, bool kIsQuiet>
NarrowProgress QueryNarrowWords(const uint64_t* HWY_RESTRICT digests, size_t num_words,
                                NarrowProgress done, const FingerprintBlocks& blocks,
                                uint64_t* HWY_RESTRICT shown, uint32_t* HWY_RESTRICT unsure) {
  using Lanes = NarrowLanes<Reads>;
  constexpr size_t kAhead = kQueryDistance / Lanes::kSize;
  constexpr size_t kRing = 2 * kAhead;  // one is answered, one compared, and others are fetched
  static_assert(kRing >= kAhead + 2);
  Lanes ring[kRing];
  [[maybe_unused]] AllVersions versions(blocks);
  if constexpr (kIsQuiet) {
    if (!versions.Begin()) return done;
  }
  [[maybe_unused]] const size_t words_per_look = versions.KeysPerLook() / Lanes::kSize;
  NarrowProgress now = done;
  const size_t first = done.num_words;
  for (size_t w = first; w < HWY_MIN(num_words, first + kAhead); ++w) {
    ring[w % kRing].Place(digests + 64 * w, blocks);
    for (size_t j = 0; j < 64; ++j) ring[w % kRing].Prefetch(j);
  }
  for (size_t w = first; w <= num_words; ++w) {
    if (w + kAhead < num_words) {
      Lanes& next = ring[(w + kAhead) % kRing];
      next.Place(digests + 64 * (w + kAhead), blocks);
      ring[w % kRing].template Compare<true>(&next);
    } else if (w < num_words) {
      ring[w % kRing].template Compare<false>(nullptr);
    }
    if (w == first) continue;
    const auto answers = ring[(w - 1) % kRing].Answer();
    uint64_t word = answers.shown;
    for (uint64_t open = answers.open; HWY_UNLIKELY(open != 0); open &= open - 1) {
      const size_t i = 64 * (w - 1) + hwy::Num0BitsBelowLS1Bit_Nonzero64(open);
      const OneFate fate = QueryNarrowKey<Select, Reads>(digests[i], blocks);
      word |= static_cast<uint64_t>(fate == OneFate::kDone) << (i % 64);
      if (fate == OneFate::kSpill) unsure[now.num_unsure++] = static_cast<uint32_t>(i);
    }
    shown[w - 1] = word;
    now.num_words = w;
    if constexpr (kIsQuiet) {
      if ((w - first) % words_per_look != 0 && w != num_words) continue;
      if (!versions.HaveStayed()) return done;
    }
    done = now;
  }
  return done;
}

// Answers whole words of 64 keys. Requires kLeastBitsInLanes.
template <class Select, template <size_t> class Reads>
NarrowProgress QueryNarrowInLanes(const uint64_t* HWY_RESTRICT digests, size_t num_words,
                                  const FingerprintBlocks& blocks, uint64_t* HWY_RESTRICT shown,
                                  uint32_t* HWY_RESTRICT unsure) {
  NarrowProgress done;
  if constexpr (Reads<1>::kHasVersions) {
    if (AllVersions::AreFew(blocks, 64 * num_words)) {
      done = QueryNarrowWords<Select, NoGroupReads, true>(digests, num_words, done, blocks, shown,
                                                          unsure);
    }
    if (done.num_words == num_words) return done;
  }
  return QueryNarrowWords<Select, Reads, false>(digests, num_words, done, blocks, shown, unsure);
}

#endif

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
