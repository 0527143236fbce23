// Queries of blocks with bins by steps of 64 keys, for targets that compare a block in one vector.
// Included once per target.
//
//   Place     where the keys belong, eight at a time
//   Compare   which slots of their blocks are equal, one key at a time
//   Answer    is one of these in the key's bin? eight at a time
//
// A codec has, for these,
//
//   KeysInLanes(upper, lower, blocks)       eight keys. The rests' upper and lower 32 bits are in
//                                           the lower halves of lanes; their upper halves vary
//   AlsoEqual(equal, slot, block)           the equal slots among those with equal bytes
//   AnswerInLanes(w6, w7, bins, equal)      of the blocks' last two words of 64 bits
//   kLeastBitsInLanes                       with fewer, more than two slots are equal too often
//
// A slot is in bin k iff k 1s of the unary string are below the slot's 0. The 0 of slot j can then
// only be bit j + k: one look there and one count replace the search for the bin's ends.
//
//   bins             0 1 | 0 0 1 | 1 | ..   first bit first
//   slot 2, bin 1    bit 3 is a 0, and one 1 is below it: it is
//   slot 2, bin 2    bit 4 is a 1: it is not
//   slot 1, bin 0    bit 1 is a 1: it is not
#if defined(TROMMEL_KERNELS_BINNED_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_BINNED_LANES_INL_H_
#undef TROMMEL_KERNELS_BINNED_LANES_INL_H_
#else
#define TROMMEL_KERNELS_BINNED_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/all_versions-inl.h"
#include "kernels/byte_slots-inl.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

template <class Codec, template <size_t> class Reads>
HWY_INLINE OneFate QueryBinnedKey(uint64_t digest, const FingerprintBlocks& blocks) {
  const FingerprintPlace place = FingerprintPlaceOf(digest, blocks.num_blocks);
  const uint32_t* block = FingerprintBlockAt(blocks, place.block_idx);
  Reads<1> reads;
  reads.Add(0, blocks, VersionOf(digest, place.block_idx, blocks));
  reads.Begin(0, 1);
  const OneFate fate = Codec::Query(typename Codec::Key(place.rest, blocks), block);
  if (fate == OneFate::kUnchanged && reads.Changed(0, 1) != 0) return OneFate::kSpill;
  return fate;
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

using LaneTag = hn::FixedTag<uint64_t, 8>;
using LaneVec = hn::Vec<LaneTag>;

// Eight keys: their bins, and what is in their slots.
struct LaneKeys {
  LaneVec bins;
  LaneVec slots;
};

// Which of eight keys are shown, and which are to be looked up by themselves unless they are; the
// others are absent.
struct LaneAnswers {
  hn::Mask<LaneTag> shown;
  hn::Mask<LaneTag> open;
};

// 64 keys on their way through the steps. What a step writes one by one is read as vectors only
// after another 64 keys have been compared: a vector that covers several stores waits until all of
// them have left the CPU.
template <class Codec, template <size_t> class Reads>
class BinnedLanes {
 public:
  static constexpr size_t kSize = 64;

  HWY_INLINE void Place(const uint64_t* HWY_RESTRICT digests, const FingerprintBlocks& blocks) {
    const LaneTag d;
    const hn::Repartition<uint32_t, LaneTag> d32;
    const auto num_blocks = hn::Set(d32, static_cast<uint32_t>(blocks.num_blocks));
    const auto words = hn::Set(d, uint64_t{reinterpret_cast<uintptr_t>(blocks.words)});
    for (size_t j = 0; j < kSize; j += hn::Lanes(d)) {
      const auto digest = hn::LoadU(d, digests + j);
      // FingerprintPlaceOf: the product in parts of 32 bits. There are less than 2^31 blocks, so no
      // sum is too large.
      const auto low = hn::MulEven(hn::BitCast(d32, digest), num_blocks);
      const auto high = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(digest)), num_blocks);
      const auto upper = hn::Add(high, hn::ShiftRight<32>(low));
      const auto block_idx = hn::ShiftRight<32>(upper);
      hn::Store(hn::Add(words, hn::ShiftLeft<6>(block_idx)), d, addresses_ + j);
      const LaneKeys keys = Codec::KeysInLanes(upper, low, blocks);
      hn::Store(keys.bins, d, bins_ + j);
      hn::Store(keys.slots, d, slots_ + j);
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

  // Prefetches the blocks of `next`, one for each that it compares.
  HWY_INLINE void Compare(const BinnedLanes& next) {
    const SlotsTag<16> d_slots;
    const WordsOfSlotsTag<16> d_block;
    const WordsOfSlotsTag<4> d_bins;
    const hn::Repartition<uint64_t, WordsOfSlotsTag<4>> d_pair;
    reads_.Begin(0, kSize);
    HWY_UNROLL(4)
    for (size_t j = 0; j < kSize; ++j) {
      next.Prefetch(j);
      const uint32_t* block = BlockAt(j);
      const auto slots = hn::BitCast(d_slots, LoadPresence(d_block, block));
      const auto slot = hn::Set(d_slots, static_cast<uint8_t>(slots_[j]));
      hn::StoreMaskBits(d_slots, hn::Eq(slots, slot), reinterpret_cast<uint8_t*>(equal_ + j));
      equal_[j] = Codec::AlsoEqual(equal_[j], slots_[j], block);
      const auto bins = LoadPresence(d_bins, block + kFingerprintBlockWords - 4);
      hn::Store(hn::BitCast(d_pair, bins), d_pair, bin_words_ + 2 * j);
    }
  }

  // Writes the answers, one bit each.
  HWY_INLINE void Answer(uint64_t* shown, uint64_t* open) const {
    const LaneTag d;
    uint8_t shown_bytes[kSize / 8];
    uint8_t open_bytes[kSize / 8];
    for (size_t j = 0; j < kSize; j += hn::Lanes(d)) {
      const auto low_pairs = hn::Load(d, bin_words_ + 2 * j);
      const auto high_pairs = hn::Load(d, bin_words_ + 2 * j + hn::Lanes(d));
      const LaneAnswers answers = Codec::AnswerInLanes(
          hn::ConcatEven(d, high_pairs, low_pairs), hn::ConcatOdd(d, high_pairs, low_pairs),
          hn::Load(d, bins_ + j), hn::Load(d, equal_ + j));
      hn::StoreMaskBits(d, answers.shown, shown_bytes + j / 8);
      hn::StoreMaskBits(d, answers.open, open_bytes + j / 8);
    }
    std::memcpy(shown, shown_bytes, sizeof(*shown));
    std::memcpy(open, open_bytes, sizeof(*open));
    *open = (*open | reads_.Changed(0, kSize)) & ~*shown;
  }

 private:
  HWY_INLINE const uint32_t* BlockAt(size_t j) const {
    return reinterpret_cast<const uint32_t*>(static_cast<uintptr_t>(addresses_[j]));
  }

  alignas(64) uint64_t addresses_[kSize];  // of blocks
  alignas(64) uint64_t bins_[kSize];
  alignas(64) uint64_t slots_[kSize];
  alignas(64) uint64_t equal_[kSize];  // bytes of the block that are; those of no slot do not count
  alignas(64) uint64_t bin_words_[2 * kSize];
  Reads<kSize> reads_;
};

// What is done of a batch's words of 64 keys.
struct LanesProgress {
  size_t num_words = 0;
  size_t num_unsure = 0;
};

// Answers the words from `done` on. With kIsQuiet no version is read key by key, and the words
// after the last at which all versions had stayed what they were are not done.
template <class Codec, template <size_t> class Reads, bool kIsQuiet>
LanesProgress QueryWordsInLanes(const uint64_t* HWY_RESTRICT digests, size_t num_words,
                                LanesProgress done, const FingerprintBlocks& blocks,
                                uint64_t* HWY_RESTRICT shown, uint32_t* HWY_RESTRICT unsure) {
  using Lanes = BinnedLanes<Codec, Reads>;
  constexpr size_t kAhead = kQueryDistance / Lanes::kSize;
  constexpr size_t kRing = 2 * kAhead;  // one is answered, one compared, and others are fetched
  static_assert(kRing >= kAhead + 2);
  Lanes ring[kRing];
  [[maybe_unused]] AllVersions versions(blocks);
  if constexpr (kIsQuiet) {
    if (!versions.Begin()) return done;
  }
  [[maybe_unused]] const size_t words_per_look = versions.KeysPerLook() / Lanes::kSize;
  LanesProgress now = done;
  const size_t first = done.num_words;
  for (size_t w = first; w < HWY_MIN(num_words, first + kAhead); ++w) {
    ring[w % kRing].Place(digests + 64 * w, blocks);
    for (size_t j = 0; j < 64; ++j) ring[w % kRing].Prefetch(j);
  }
  for (size_t w = first; w <= num_words; ++w) {
    if (w < num_words) {
      Lanes& next = ring[(w + kAhead) % kRing];  // at the end, a word that is answered
      if (w + kAhead < num_words) next.Place(digests + 64 * (w + kAhead), blocks);
      ring[w % kRing].Compare(next);
    }
    if (w == first) continue;
    uint64_t word = 0;
    uint64_t open = 0;
    ring[(w - 1) % kRing].Answer(&word, &open);
    for (; HWY_UNLIKELY(open != 0); open &= open - 1) {
      const size_t i = 64 * (w - 1) + hwy::Num0BitsBelowLS1Bit_Nonzero64(open);
      const OneFate fate = QueryBinnedKey<Codec, Reads>(digests[i], blocks);
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
template <class Codec, template <size_t> class Reads>
LanesProgress QueryInLanes(const uint64_t* HWY_RESTRICT digests, size_t num_words,
                           const FingerprintBlocks& blocks, uint64_t* HWY_RESTRICT shown,
                           uint32_t* HWY_RESTRICT unsure) {
  LanesProgress done;
  if constexpr (Reads<1>::kHasVersions) {
    if (AllVersions::AreFew(blocks, 64 * num_words)) {
      done = QueryWordsInLanes<Codec, NoGroupReads, true>(digests, num_words, done, blocks, shown,
                                                          unsure);
    }
    if (done.num_words == num_words) return done;
  }
  return QueryWordsInLanes<Codec, Reads, false>(digests, num_words, done, blocks, shown, unsure);
}

#endif

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
