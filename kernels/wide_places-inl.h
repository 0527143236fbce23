// The places of digests in fingerprint blocks with slots of 16 bits, several at once and each once:
// when a digest's block is prefetched, its address and key are kept for later. Included once per
// target.
//
// With fewer than 2^32 blocks, 64 bits of the product digest x num_blocks are all that is needed:
//
//   digest       | high | low |
//   t =  high x num_blocks + (low x num_blocks >> 32)       | block index (32) | rest's top (32) |
#if defined(TROMMEL_KERNELS_WIDE_PLACES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TROMMEL_KERNELS_WIDE_PLACES_INL_H_
#undef TROMMEL_KERNELS_WIDE_PLACES_INL_H_
#else
#define TROMMEL_KERNELS_WIDE_PLACES_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "kernels/wide_slots-inl.h"
#include "kernels/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::kernels::HWY_NAMESPACE {
namespace {

// The places of kSize digests.
template <template <size_t> class Reads>
struct WidePlaces {
  static constexpr size_t kSize = 8;
  static constexpr int kGroupShift = std::countr_zero(kGroupBlocks);
  static constexpr int kBlockShift = std::countr_zero(kFingerprintBlockWords * sizeof(uint32_t));

  // Finds the digests' places, and prefetches their blocks.
  HWY_INLINE void Fetch(const uint64_t* HWY_RESTRICT digests, const FingerprintBlocks& blocks) {
    const uint64_t first_address = reinterpret_cast<uintptr_t>(blocks.words);
#if HWY_TARGET == HWY_SCALAR
    for (size_t j = 0; j < kSize; ++j) {
      const FingerprintPlace place = FingerprintPlaceOf(digests[j], blocks.num_blocks);
      addresses[j] = first_address + (place.block_idx << kBlockShift);
      pairs[j] = WidePair(WideKey(place.rest, blocks.fingerprint_bits));
      reads.Add(j, blocks, VersionOf(digests[j], place.block_idx, blocks));
    }
#else
    const hn::CappedTag<uint64_t, kSize> d;
    const hn::Repartition<uint32_t, decltype(d)> d32;
    const auto num_blocks = hn::BitCast(d32, hn::Set(d, blocks.num_blocks));
    const auto one = hn::Set(d, uint64_t{1});
    for (size_t j = 0; j < kSize; j += hn::Lanes(d)) {
      const auto digest = hn::LoadU(d, digests + j);
      const auto low = hn::MulEven(hn::BitCast(d32, digest), num_blocks);
      const auto high = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(digest)), num_blocks);
      const auto place = hn::Add(high, hn::ShiftRight<32>(low));
      const auto offset = hn::ShiftLeft<kBlockShift>(hn::ShiftRight<32>(place));
      hn::Store(hn::Add(hn::Set(d, first_address), offset), d, addresses + j);
      if constexpr (Reads<kSize>::kHasVersions) {
        const uint64_t first_version = reinterpret_cast<uintptr_t>(blocks.versions);
        // VersionOf, with range_bits 0.
        const auto version = hn::ShiftLeft<3>(hn::ShiftRight<32 + kGroupShift>(place));
        hn::Store(hn::Add(hn::Set(d, first_version), version), d, reads.addresses + j);
      }
      // The upper half of each lane is 0.
      const auto rest = hn::ShiftRight<32>(hn::ShiftLeft<32>(place));
      const auto key = hn::ShiftRightSame(rest, 32 - static_cast<int>(blocks.fingerprint_bits));
      // As UnreservedWideKey.
      const auto next = hn::And(hn::Add(key, one), hn::Set(d, uint64_t{0xfe}));
      const auto is_reserved = hn::Eq(hn::BitCast(d32, next), hn::Zero(d32));
      const auto change = hn::IfThenElseZero(is_reserved, hn::BitCast(d32, one));
      const auto unreserved = hn::Xor(key, hn::BitCast(d, change));
      hn::Store(hn::Or(unreserved, hn::ShiftLeft<16>(unreserved)), d, pairs + j);
    }
#endif
    HWY_UNROLL(8)
    for (size_t j = 0; j < kSize; ++j) {
      hwy::Prefetch(BlockAt(j));
      if constexpr (Reads<kSize>::kHasVersions) {
        hwy::Prefetch(
            reinterpret_cast<const uint64_t*>(static_cast<uintptr_t>(reads.addresses[j])));
      }
    }
  }

  HWY_INLINE uint32_t* BlockAt(size_t j) const {
    return reinterpret_cast<uint32_t*>(static_cast<uintptr_t>(addresses[j]));
  }
  HWY_INLINE uint32_t PairAt(size_t j) const { return static_cast<uint32_t>(pairs[j]); }

  HWY_ALIGN uint64_t addresses[kSize];
  HWY_ALIGN uint64_t pairs[kSize];  // WidePair
  Reads<kSize> reads;
};

}  // namespace
}  // namespace trommel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
