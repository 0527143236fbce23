// The plain textbook counting Bloom filter, as fast as a page of code makes it: the comparison for
// our filter. k hashes, each to one of m counters anywhere in memory; counters of four bits, two
// per byte, that saturate at 15 (Fan, Cao, Almeida and Broder, "Summary Cache", 2000).
//
// The k positions come from one 64-bit digest by double hashing (Kirsch and Mitzenmacher 2006) and
// a multiply-high, not a division. Batches compute the positions of a key once, prefetch all its
// lines kPrefetchDistance keys ahead and keep the positions until then. Erase queries first and
// refuses absent keys, as ours does.
#ifndef TROMMEL_BENCH_SIDES_TEXTBOOK_FILTER_H_
#define TROMMEL_BENCH_SIDES_TEXTBOOK_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/machine/huge_array.h"

namespace trommel::bench {

class TextbookFilter {
 public:
  static constexpr uint32_t kMaxHashes = 20;
  static constexpr uint8_t kMaxCount = 15;

  // The optimal k for target_fpr, and the least m that meets it with num_keys keys. Requires
  // num_keys > 0 and 0 < target_fpr < 1.
  static TextbookFilter ForKeys(uint64_t num_keys, double target_fpr);

  // Requires 1 <= num_hashes <= kMaxHashes.
  TextbookFilter(uint64_t num_counters, uint32_t num_hashes);

  // One key.
  bool MayContain(uint64_t digest) const noexcept {
    for (uint32_t i = 0; i < num_hashes_; ++i) {
      if (CounterAt(Position(digest, i)) == 0) return false;
    }
    return true;
  }

  // Batches. Erase returns how many were erased; Query sets bit i % 64 of word i / 64 if key i may
  // be present and returns how many are.
  void Insert(std::span<const uint64_t> digests) noexcept;
  size_t Erase(std::span<const uint64_t> digests) noexcept;
  size_t Query(std::span<const uint64_t> digests, std::span<uint64_t> maybe_present) const noexcept;

  // (1 - e^(-kn/m))^k: the textbook's formula, accurate enough for counters spread over all of
  // memory.
  double PredictedFpr(uint64_t num_keys) const noexcept;

  uint64_t num_counters() const noexcept { return num_counters_; }
  uint32_t num_hashes() const noexcept { return num_hashes_; }
  uint64_t num_bytes() const noexcept { return counters_.size(); }

  // For tests: the position of hash i of a digest, and the counter there.
  uint64_t Position(uint64_t digest, uint32_t i) const noexcept {
    // The halves of the digest swap roles in the step, so that the high bits that choose the
    // counter are a double hash of both.
    const uint64_t hash = digest + i * (digest << 32 | digest >> 32);
    return static_cast<uint64_t>((static_cast<Uint128>(hash) * num_counters_) >> 64);
  }
  uint8_t CounterAt(uint64_t position) const noexcept {
    return counters_[position >> 1] >> Shift(position) & kMaxCount;
  }

 private:
  __extension__ using Uint128 = unsigned __int128;

  static uint32_t Shift(uint64_t position) noexcept { return (position & 1) * 4; }
  void Increment(uint64_t position) noexcept {
    const uint32_t not_saturated = CounterAt(position) != kMaxCount;
    counters_[position >> 1] =
        static_cast<uint8_t>(counters_[position >> 1] + (not_saturated << Shift(position)));
  }
  void Decrement(uint64_t position) noexcept {
    // Two hashes of a key may have the same counter; after a false positive it may be 0.
    const uint8_t count = CounterAt(position);
    const uint32_t can_fall = count != kMaxCount && count != 0;
    counters_[position >> 1] =
        static_cast<uint8_t>(counters_[position >> 1] - (can_fall << Shift(position)));
  }

  bool AllCounted(std::span<const uint64_t> positions) const noexcept {
    bool all = true;
    for (const uint64_t position : positions) all &= CounterAt(position) != 0;
    return all;
  }

  template <bool kUpdate, class Visit>
  void Pipeline(std::span<const uint64_t> digests, Visit visit) const noexcept;

  uint64_t num_counters_;
  uint32_t num_hashes_;
  HugeArray<uint8_t> counters_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_TEXTBOOK_FILTER_H_
