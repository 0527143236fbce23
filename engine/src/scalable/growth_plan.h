// GrowthPlan: how far a filter that grows by itself may grow, and what the model says of it on
// the way.
//
// *The model.* A filter keeps P bits of each digest at any size (growing/growing_store.h), so n
// distinct keys match a non-member with a chance of 1 - (1 - 2^-P)^n, about n 2^-P, whatever came
// and went. With P = log2(max_capacity / target_fpr), rounded up, that is the target at most. Of
// blocks with short remainders many slots are equal to a key's, so there are never fewer than 6.5
// bits behind the number of keys: for rates above 1 % that takes no memory.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLAN_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLAN_H_

#include <cstddef>
#include <cstdint>

#include "engine/src/growing/growing_store.h"
#include "engine/src/growing/growth_ladder.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

class GrowthPlan {
 public:
  // The size that a filter without max_capacity reaches within its target, unless its first one is
  // larger.
  static constexpr uint64_t kUsualLargest = 1'000'000'000;

  // Fails with kInvalidArgument for numbers out of range, for fields that a filter of this kind
  // does not have, and where the rate at the largest size takes more bits than a digest may give.
  static Result<GrowthPlan> Make(const ScalableConfig& config);
  // The same, of one of several filters that are one: a small one has one shard, which takes less
  // memory. It is for digests behind a shift of digest_shift(). It keeps its rate up to
  // max_capacity, and may grow to kPartGrowth times that.
  static constexpr uint64_t kPartGrowth = 16;
  static Result<GrowthPlan> MakeOfPart(const ScalableConfig& config);
  // As many keys as a filter may keep this rate for.
  static uint64_t MostKeysAt(double target_fpr);
  // Of a file. Requires CanBe.
  explicit GrowthPlan(const GrowingOptions& options)
      : options_(options), ladder_(GrowingStore::LadderOf(options)) {}
  static bool CanBe(const GrowingOptions& options);

  // Without a limit of memory.
  const GrowingOptions& options() const { return options_; }
  // Of a digest.
  uint32_t num_bits() const { return options_.value_bits + options_.shard_bits; }
  // The store takes digests shifted to the right by so many bits.
  uint32_t digest_shift() const { return GrowingStore::kShardBits - options_.shard_bits; }
  // Keys that the first size holds before it grows, and that the last one does.
  uint64_t first_capacity() const;
  uint64_t largest_capacity() const { return options_.max_capacity; }

  // How often a level has doubled since the first one.
  double DoublingsAt(size_t level) const;

  // Of a filter with so many distinct keys.
  double FprAt(uint64_t num_keys) const;
  uint64_t BytesAt(uint64_t num_keys) const;
  // Of the blocks of the first size, and all that it takes.
  uint64_t FirstBytes() const;
  uint64_t AllFirstBytes() const;
  // The share of its shards that have more keys than digests are kept of: those of a shard differ
  // from the mean by a few percent, so that it is also the share of the keys.
  double ShareInBlocksAt(uint64_t num_keys) const;
  // The chance that a non-member has one of so many values.
  static double FprOf(double num_values, uint32_t num_bits);

 private:
  static Result<GrowthPlan> MakeWith(const ScalableConfig& config, uint32_t shard_bits,
                                     uint64_t growth);
  uint64_t OfShard(uint64_t num_keys) const {
    return (num_keys + options_.num_shards() - 1) / options_.num_shards();
  }

  GrowingOptions options_;
  GrowthLadder ladder_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_PLAN_H_
