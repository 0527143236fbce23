#include "engine/src/scalable/growth_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "engine/src/base/out_of_range.h"
#include "engine/src/growing/growing_directory.h"
#include "engine/src/keys/digest_policy.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

constexpr double kLeastBitsBehind = 6.5;
// Of parts that have grown beyond their rate, but for rounding.
constexpr double kFewestBitsBehind = 1.5;
// Of parts with one shard: larger ones want the shards' locks, and have pages to fill.
constexpr uint64_t kMostOfOneShard = uint64_t{1} << 20;

double BitsFor(uint64_t num_keys, double target_fpr) {
  const double of_keys = std::log2(static_cast<double>(num_keys));
  return std::ceil(of_keys + std::max(kLeastBitsBehind, -std::log2(target_fpr)) - 1e-9);
}

std::optional<Error> CheckGrowing(const ScalableConfig& config) {
  if (const Status digest = CheckPolicy(config.digest); !digest.ok()) return digest.error();
  // Written so that NaN fails.
  if (!(config.target_fpr >= kMinTargetFpr && config.target_fpr <= kMaxTargetFpr)) {
    return OutOfRange("target_fpr", config.target_fpr, kMinTargetFpr, kMaxTargetFpr);
  }
  for (const auto& [field, capacity] : {std::pair{"first_capacity", config.first_capacity},
                                        std::pair{"max_capacity", config.max_capacity}}) {
    if (capacity > kMaxCapacity) {
      return OutOfRange(field, capacity, "at most " + TextOf(kMaxCapacity));
    }
  }
  if (config.max_capacity != 0 && config.max_capacity < config.first_capacity) {
    return OutOfRange("max_capacity", config.max_capacity,
                      "at least first_capacity, " + TextOf(config.first_capacity));
  }
  return std::nullopt;
}

}  // namespace

bool GrowthPlan::CanBe(const GrowingOptions& options) {
  return options.value_bits >= 1 && options.value_bits <= kernels::kMaxValueBits &&
         options.max_capacity >= 1 && options.max_capacity <= kMaxCapacity &&
         options.first_capacity <= options.max_capacity &&
         static_cast<double>(options.value_bits + options.shard_bits) >=
             std::log2(static_cast<double>(options.max_capacity)) + kFewestBitsBehind;
}

Result<GrowthPlan> GrowthPlan::Make(const ScalableConfig& config) {
  return MakeWith(config, GrowingStore::kShardBits, 1);
}

uint64_t GrowthPlan::MostKeysAt(double target_fpr) {
  if (!(target_fpr > 0 && target_fpr <= 1)) return 0;  // written so that NaN is, too
  return static_cast<uint64_t>(
      std::ldexp(target_fpr, kernels::kMaxValueBits + GrowingStore::kShardBits));
}

Result<GrowthPlan> GrowthPlan::MakeOfPart(const ScalableConfig& config) {
  if (config.first_capacity < kMostOfOneShard) {
    Result<GrowthPlan> plan = MakeWith(config, 0, kPartGrowth);
    if (plan.ok()) return plan;
  }
  return MakeWith(config, GrowingStore::kShardBits, kPartGrowth);
}

Result<GrowthPlan> GrowthPlan::MakeWith(const ScalableConfig& config, uint32_t shard_bits,
                                        uint64_t growth) {
  if (auto error = CheckGrowing(config)) return *error;
  const uint64_t wanted = config.max_capacity != 0 ? config.max_capacity : kUsualLargest;
  const uint64_t largest = std::max(wanted, config.first_capacity);
  const double num_bits = BitsFor(largest, config.target_fpr);
  const uint32_t most_bits = kernels::kMaxValueBits + shard_bits;
  if (num_bits > most_bits) {
    const uint64_t most = MostKeysAt(config.target_fpr);
    return Error{ErrorCode::kInvalidArgument, "target_fpr is " + TextOf(config.target_fpr) +
                                                  ": that is kept up to " + TextOf(most) +
                                                  " keys, not " + TextOf(largest)};
  }
  const double value_bits = std::max(1.0, num_bits - shard_bits);
  return GrowthPlan(
      GrowingOptions{.value_bits = static_cast<uint32_t>(value_bits),
                     .shard_bits = shard_bits,
                     .first_capacity = config.first_capacity,
                     .max_capacity = std::min(largest, kMaxCapacity / growth) * growth});
}

uint64_t GrowthPlan::first_capacity() const {
  if (!ladder_.begins_with_digests()) return options_.first_capacity;
  // Shards have more keys than the mean by chance, and the fullest grows first.
  return std::max(options_.first_capacity, options_.num_shards() * ladder_.max_digests() * 9 / 10);
}

double GrowthPlan::DoublingsAt(size_t level) const {
  const auto capacity_of = [this](size_t of_level) {
    return static_cast<double>(ladder_[of_level].capacity);
  };
  return std::max(0.0, std::log2(capacity_of(level) / capacity_of(ladder_.first_level())));
}

double GrowthPlan::FprOf(double num_values, uint32_t num_bits) {
  return -std::expm1(-std::ldexp(num_values, -static_cast<int>(num_bits)));
}

double GrowthPlan::ShareInBlocksAt(uint64_t num_keys) const {
  if (!ladder_.begins_with_digests()) return 1;
  const auto num_shards = static_cast<double>(options_.num_shards());
  const double mean = static_cast<double>(num_keys) / num_shards;
  const double deviation = std::sqrt(mean * (1 - 1 / num_shards));
  const double least = static_cast<double>(ladder_.max_digests()) + 0.5;  // between two numbers
  if (deviation == 0) return mean < least ? 0 : 1;
  return std::erfc((least - mean) / deviation / std::numbers::sqrt2) / 2;
}

double GrowthPlan::FprAt(uint64_t num_keys) const {
  return FprOf(ShareInBlocksAt(num_keys) * static_cast<double>(num_keys), num_bits());
}

uint64_t GrowthPlan::BytesAt(uint64_t num_keys) const {
  const size_t level = std::max(ladder_.LevelFor(OfShard(num_keys)), ladder_.first_level());
  const double share = ShareInBlocksAt(num_keys);
  const uint64_t of_digests = num_keys * GrowthLadder::kBytesPerDigest;
  const uint64_t of_blocks = options_.num_shards() * ladder_[level].num_bytes();
  return static_cast<uint64_t>((1 - share) * static_cast<double>(of_digests) +
                               share * static_cast<double>(of_blocks));
}

uint64_t GrowthPlan::FirstBytes() const {
  if (ladder_.begins_with_digests()) return 0;
  return options_.num_shards() * ladder_[ladder_.first_level()].num_bytes();
}

uint64_t GrowthPlan::AllFirstBytes() const {
  const uint32_t bits = FirstBytes() == 0 ? 0 : ladder_[ladder_.first_level()].prefix_bits;
  uint64_t of_directories = GrowingDirectory::AllBytesOf(0);
  if (bits > 0) of_directories += GrowingDirectory::AllBytesOf(bits);
  return FirstBytes() + of_directories;
}

}  // namespace trommel
