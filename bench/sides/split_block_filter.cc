#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/sides/split_block_filter.cc"
#include "bench/sides/split_block_filter.h"

#include <bit>

#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace trommel::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// In keys. Measured at 30 M keys: 16 takes 9 to 10 ns, 32: 5 to 8, 64: 3.7, 96: 2.8, 128: 2.2, and
// more gains nothing. In cache the distance makes no difference.
constexpr size_t kPrefetchDistance = 128;
constexpr size_t kWords = SplitBlockFilter::kWordsPerBlock;

alignas(32) constexpr uint32_t kParquetSalts[kWords] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU,
                                                        0xa2b7289dU, 0x705495c7U, 0x2df1424bU,
                                                        0x9efc4947U, 0x5c6bfb31U};

using Tag = hn::CappedTag<uint32_t, kWords>;

HWY_INLINE size_t WordIndex(uint64_t digest, uint64_t num_blocks) {
  return ((digest >> 32) * num_blocks >> 32) * kWords;
}

HWY_INLINE hn::Vec<Tag> Mask(uint64_t digest, size_t first_word) {
  const Tag d;
  const auto product =
      hn::Mul(hn::Set(d, static_cast<uint32_t>(digest)), hn::Load(d, kParquetSalts + first_word));
  return hn::Shl(hn::Set(d, 1U), hn::ShiftRight<27>(product));
}

HWY_INLINE void InsertOne(uint64_t digest, uint32_t* HWY_RESTRICT block) {
  const Tag d;
  for (size_t w = 0; w < kWords; w += hn::Lanes(d)) {
    hn::Store(hn::Or(hn::Load(d, block + w), Mask(digest, w)), d, block + w);
  }
}

HWY_INLINE bool ContainsOne(uint64_t digest, const uint32_t* HWY_RESTRICT block) {
  const Tag d;
  auto missing = hn::Zero(d);
  for (size_t w = 0; w < kWords; w += hn::Lanes(d)) {
    missing = hn::Or(missing, hn::AndNot(hn::Load(d, block + w), Mask(digest, w)));
  }
  return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
}

// Calls visit(i, first word of the block) for each digest, its line prefetched kPrefetchDistance
// keys before.
template <class Word, class Visit>
HWY_INLINE void Pipeline(const uint64_t* HWY_RESTRICT digests, size_t num_digests, Word* words,
                         uint64_t num_blocks, const Visit& visit) {
  const size_t lead = HWY_MIN(num_digests, kPrefetchDistance);
  for (size_t i = 0; i < lead; ++i) hwy::Prefetch(words + WordIndex(digests[i], num_blocks));
  size_t i = 0;
  for (; i < num_digests - lead; ++i) {
    hwy::Prefetch(words + WordIndex(digests[i + kPrefetchDistance], num_blocks));
    visit(i, words + WordIndex(digests[i], num_blocks));
  }
  for (; i < num_digests; ++i) visit(i, words + WordIndex(digests[i], num_blocks));
}

void InsertBatch(const uint64_t* digests, size_t num_digests, uint32_t* words,
                 uint64_t num_blocks) {
  Pipeline(digests, num_digests, words, num_blocks,
           [digests](size_t i, uint32_t* block) HWY_ATTR { InsertOne(digests[i], block); });
}

size_t QueryBatch(const uint64_t* digests, size_t num_digests, const uint32_t* words,
                  uint64_t num_blocks, uint64_t* maybe_present) {
  size_t num_present = 0;
  uint64_t answers = 0;
  Pipeline(digests, num_digests, words, num_blocks, [&](size_t i, const uint32_t* block) HWY_ATTR {
    answers |= uint64_t{ContainsOne(digests[i], block)} << (i % 64);
    if (i % 64 == 63 || i + 1 == num_digests) {
      maybe_present[i / 64] = answers;
      num_present += static_cast<size_t>(std::popcount(answers));
      answers = 0;
    }
  });
  return num_present;
}

void InsertPoint(uint64_t digest, uint32_t* words, uint64_t num_blocks) {
  InsertOne(digest, words + WordIndex(digest, num_blocks));
}

bool ContainsPoint(uint64_t digest, const uint32_t* words, uint64_t num_blocks) {
  return ContainsOne(digest, words + WordIndex(digest, num_blocks));
}

}  // namespace trommel::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trommel::bench {

HWY_EXPORT(InsertBatch);
HWY_EXPORT(QueryBatch);
HWY_EXPORT(InsertPoint);
HWY_EXPORT(ContainsPoint);

SplitBlockFilter::SplitBlockFilter(uint64_t num_blocks)
    : num_blocks_(num_blocks), words_(num_blocks * kWordsPerBlock) {}

void SplitBlockFilter::Insert(std::span<const uint64_t> digests) noexcept {
  HWY_DYNAMIC_DISPATCH(InsertBatch)(digests.data(), digests.size(), words_.data(), num_blocks_);
}

size_t SplitBlockFilter::Query(std::span<const uint64_t> digests,
                               std::span<uint64_t> maybe_present) const noexcept {
  return HWY_DYNAMIC_DISPATCH(QueryBatch)(digests.data(), digests.size(), words_.data(),
                                          num_blocks_, maybe_present.data());
}

void SplitBlockFilter::Insert(uint64_t digest) noexcept {
  HWY_DYNAMIC_DISPATCH(InsertPoint)(digest, words_.data(), num_blocks_);
}

bool SplitBlockFilter::MayContain(uint64_t digest) const noexcept {
  return HWY_DYNAMIC_DISPATCH(ContainsPoint)(digest, words_.data(), num_blocks_);
}

}  // namespace trommel::bench
#endif
