// DoublingPlan: how far a filter that doubles may grow, and what the model says of it on the way.
//
// *The model.* A filter of B_0 blocks doubles when its blocks hold L entries each; after d
// doublings it has B_d = 2^d B_0. An entry that came after j doublings has 15 bits then and 15 -
// (d - j) bits now, so a non-member of its block matches it with chance 2^(d - j - 15). Whatever
// came and went, of the entries that are in now no more than L B_j came before doubling j + 1: all
// that were in then fitted the blocks of that time. The sum over entries of their chances, per
// block, is largest where as many as possible are old:
//
//   came after j doublings    0        1            2            ...   d
//   at most                   L B_0    L B_1 / 2    L B_2 / 2          the rest
//   times chance, per block   L / 2^15 L / 2 / 2^15 L / 2 / 2^15       (load - L / 2) / 2^15
//
// which adds up to (load + L d / 2) / 2^15, and at load L to L (1 + d / 2) / 2^15. A filter that
// only grew has just that rate; one that shrank in between, no more. What queries beside writers
// cannot decide comes on top (PredictedUndecidedShare: a share of the load alone).
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_DOUBLING_PLAN_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_DOUBLING_PLAN_H_

#include <algorithm>
#include <cstdint>

#include "engine/src/growing/growing_store.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

class DoublingPlan {
 public:
  // Of the store, a shard of which has 2^first_bits blocks at first.
  static constexpr uint32_t kMostDoublings = GrowingStore::kMostDoublings;
  static constexpr uint32_t kLeastFirstBits = GrowingStore::kLeastFirstBits;
  static constexpr uint32_t kMostFirstBits = GrowingStore::kMostFirstBits;

  // The first size that holds first_capacity, and as many doublings as max_capacity takes; without
  // one, as target_fpr allows. Fails with kInvalidArgument for numbers out of range, for fields
  // that a filter that doubles does not have, and where the rate would exceed target_fpr at
  // max_capacity (at 10^9 keys where kAutomatic has none: kDoubling then ends where it must).
  static Result<DoublingPlan> Make(const ScalableConfig& config);

  // Of a file. Requires CanBe(first_bits, most_doublings).
  DoublingPlan(uint32_t first_bits, uint32_t most_doublings)
      : first_bits_(first_bits), most_doublings_(most_doublings) {}
  static bool CanBe(uint64_t first_bits, uint64_t most_doublings) {
    return first_bits >= kLeastFirstBits && first_bits <= kMostFirstBits &&
           most_doublings <= MostDoublings(static_cast<uint32_t>(first_bits));
  }

  uint32_t first_bits() const { return first_bits_; }
  uint32_t most_doublings() const { return most_doublings_; }
  uint64_t CapacityAfter(uint32_t num_doublings) const;
  uint64_t first_capacity() const { return CapacityAfter(0); }
  uint64_t largest_capacity() const { return CapacityAfter(most_doublings_); }

  // Of a filter that was filled with so many keys, at most most_doublings() doublings.
  double FprAt(uint64_t num_keys) const;
  uint64_t BlocksAt(uint64_t num_keys) const;  // of parts that do not keep digests
  uint64_t BytesAt(uint64_t num_keys) const;

  // The share of non-members that match one of so many entries, spread over so many blocks that
  // were first_blocks at first: without what queries cannot decide. While blocks double one by one
  // there is a number of blocks between two sizes, of which some have doubled once more.
  static double FprOf(double num_entries, double num_blocks, double first_blocks);

 private:
  // So many that no filter exceeds kMaxCapacity.
  static uint32_t MostDoublings(uint32_t first_bits) {
    constexpr uint32_t kMostBits = 29;
    return std::min(kMostDoublings, kMostBits - first_bits);
  }
  uint32_t DoublingsAt(uint64_t num_keys) const;
  bool KeepsDigestsAt(uint64_t num_keys) const;

  uint32_t first_bits_;
  uint32_t most_doublings_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_DOUBLING_PLAN_H_
