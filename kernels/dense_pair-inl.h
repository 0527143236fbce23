// The two overflow lines of a dense block's keys (dense_layout.h). Included once per target.
#if defined(TROMMEL_KERNELS_DENSE_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_DENSE_PAIR_INL_H_
#undef TROMMEL_KERNELS_DENSE_PAIR_INL_H_
#else
#define TROMMEL_KERNELS_DENSE_PAIR_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/byte_slots-inl.h"
#include "kernels/dense_layout.h"
#include "kernels/dense_line.h"
#include "kernels/kernels.h"
#include "kernels/presence_words.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// Words of 32 bits of a vector that all targets of a kind have.
constexpr size_t kDenseCutWords = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3   ? 16
                                  : HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 ? 8
                                                                           : 4;

// Entries of lines that have kNum at most. Functions of their own, which shapes and selects share.
template <uint32_t kNum>
struct DensePairOf {
  using Line = DenseLineOf<kNum>;

  static HWY_NOINLINE uint64_t Find(const DensePair& pair, uint32_t key, uint32_t num_ignored) {
    return Entries(pair.line[0], {pair.tag[0], key}, num_ignored) |
           uint64_t{Entries(pair.line[1], {pair.tag[1], key}, num_ignored)} << 32;
  }
  static HWY_INLINE uint32_t Entries(const uint32_t* line, const DenseEntry& entry,
                                     uint32_t num_ignored) {
    if constexpr (kNum == kWordLineEntries) {
      const uint32_t num = NumDenseEntries(line);
      return WordsLike(line, Line::WordOf(entry), ~uint32_t{0} << num_ignored) & ((1U << num) - 1);
    } else {
      return LowBitsLike(line, entry.key, 0xffffU >> num_ignored << num_ignored) &
             typename Line::Planes(line).Equal(entry);
    }
  }

#if HWY_TARGET == HWY_SCALAR

  // The places of entries whose low bits are these where `compared` has 1s.
  static HWY_INLINE uint32_t LowBitsLike(const uint32_t* line, uint32_t bits, uint32_t compared) {
    uint32_t like = 0;
    for (uint32_t i = 0; i < kMaxLineEntries; ++i) {
      like |= uint32_t{((Line::LowBitsAt(line, i) ^ bits) & compared) == 0} << i;
    }
    return like;
  }
  // The same of whole words.
  static HWY_INLINE uint32_t WordsLike(const uint32_t* line, uint32_t word, uint32_t compared) {
    uint32_t like = 0;
    for (uint32_t i = 0; i < kNum; ++i) {
      like |= uint32_t{((LoadPresenceWord(line + i) ^ word) & compared) == 0} << i;
    }
    return like;
  }

#else

  static HWY_INLINE uint32_t LowBitsLike(const uint32_t* line, uint32_t bits, uint32_t compared) {
    return Like<uint16_t, kMaxLineEntries / 2>(line, bits, compared);
  }
  static HWY_INLINE uint32_t WordsLike(const uint32_t* line, uint32_t word, uint32_t compared) {
    return Like<uint32_t, kNum>(line, word, compared);
  }
  // The lanes of the first words that are equal where `compared` has 1s. As many bytes are read as
  // StoreMaskBits writes: others would wait for the store.
  template <class Lane, uint32_t kNumWords>
  static HWY_INLINE uint32_t Like(const uint32_t* line, uint32_t bits, uint32_t compared) {
    constexpr uint32_t kLanesOfWord = 4 / sizeof(Lane);
    constexpr uint32_t kNumLanes = kLanesOfWord * kDenseCutWords;
    using Bits = std::conditional_t<kNumLanes <= 8, uint8_t,
                                    std::conditional_t<kNumLanes <= 16, uint16_t, uint32_t> >;
    const WordsOfSlotsTag<kDenseCutWords> d_words;
    const hn::Repartition<Lane, WordsOfSlotsTag<kDenseCutWords> > d;
    const auto mask = hn::Set(d, static_cast<Lane>(compared));
    const auto wanted = hn::Set(d, static_cast<Lane>(bits & compared));
    uint32_t like = 0;
    for (uint32_t i = 0; i < kNumWords; i += kDenseCutWords) {
      const auto lanes = hn::BitCast(d, LoadPresence(d_words, line + i));
      uint8_t bytes[8] = {};
      hn::StoreMaskBits(d, hn::Eq(hn::And(lanes, mask), wanted), bytes);
      Bits equal;
      std::memcpy(&equal, bytes, sizeof(equal));
      like |= static_cast<uint32_t>(equal) << (kLanesOfWord * i);
    }
    return like;
  }

#endif

  // Puts a key into the line with fewer entries, the first of equals, if that is not full.
  static HWY_NOINLINE bool Put(const DensePair& pair, uint32_t key) {
    const uint32_t num_in[2] = {NumDenseEntries(pair.line[0]), NumDenseEntries(pair.line[1])};
    const size_t i = num_in[1] < num_in[0] ? 1 : 0;
    if (HWY_UNLIKELY(num_in[i] == kNum)) return false;
    Line::Set(pair.line[i], num_in[i], {pair.tag[i], key});
    return true;
  }

  static HWY_NOINLINE void Remove(const DensePair& pair, uint32_t i) {
    Line::Remove(pair.line[i / 32], i % 32);
  }
};

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
