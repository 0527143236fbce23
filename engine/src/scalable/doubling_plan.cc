#include "engine/src/scalable/doubling_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "engine/src/base/out_of_range.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/scalable/growth_choice.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

constexpr double kLeastBitsBehind = 6.5;
constexpr uint32_t kMostBits = kernels::kMaxValueBits + GrowingStore::kShardBits;

double BitsFor(uint64_t num_keys, double target_fpr) {
  const double of_keys = std::log2(static_cast<double>(num_keys));
  return std::ceil(of_keys + std::max(kLeastBitsBehind, -std::log2(target_fpr)) - 1e-9);
}

std::optional<Error> CheckDoubling(const ScalableConfig& config) {
  if (const std::string field = FieldOfGenerations(config); !field.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 field + " is given, and a filter that doubles does not have it"};
  }
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
  return std::nullopt;
}

}  // namespace

bool DoublingPlan::CanBe(uint64_t value_bits, uint64_t first_capacity, uint64_t max_capacity) {
  return value_bits >= 1 && value_bits <= kernels::kMaxValueBits && max_capacity >= 1 &&
         max_capacity <= kMaxCapacity && first_capacity <= max_capacity &&
         static_cast<double>(value_bits) + GrowingStore::kShardBits >=
             std::log2(static_cast<double>(max_capacity)) + kLeastBitsBehind - 1;
}

Result<DoublingPlan> DoublingPlan::Make(const ScalableConfig& config) {
  if (auto error = CheckDoubling(config)) return *error;
  const uint64_t wanted = config.max_capacity != 0 ? config.max_capacity : kUsualLargest;
  const uint64_t largest = std::max(wanted, config.first_capacity);
  const double num_bits = BitsFor(largest, config.target_fpr);
  if (num_bits > kMostBits) {
    const auto most = static_cast<uint64_t>(std::ldexp(config.target_fpr, kMostBits));
    return Error{ErrorCode::kInvalidArgument, "target_fpr is " + TextOf(config.target_fpr) +
                                                  ": that is kept up to " + TextOf(most) +
                                                  " keys, not " + TextOf(largest)};
  }
  const double value_bits = std::max(1.0, num_bits - GrowingStore::kShardBits);
  return DoublingPlan(GrowingOptions{.value_bits = static_cast<uint32_t>(value_bits),
                                     .first_capacity = config.first_capacity,
                                     .max_capacity = largest});
}

uint64_t DoublingPlan::first_capacity() const {
  if (!ladder_.begins_with_digests()) return options_.first_capacity;
  // Shards have more keys than the mean by chance, and the fullest grows first.
  return std::max(options_.first_capacity,
                  GrowingStore::kNumShards * ladder_.max_digests() * 9 / 10);
}

double DoublingPlan::DoublingsAt(size_t level) const {
  const auto capacity_of = [this](size_t of_level) {
    return static_cast<double>(ladder_[of_level].capacity);
  };
  return std::max(0.0, std::log2(capacity_of(level) / capacity_of(ladder_.first_level())));
}

double DoublingPlan::FprOf(double num_values, uint32_t num_bits) {
  return -std::expm1(-std::ldexp(num_values, -static_cast<int>(num_bits)));
}

double DoublingPlan::FprAt(uint64_t num_keys) const {
  return KeepsDigestsAt(num_keys) ? 0 : FprOf(static_cast<double>(num_keys), num_bits());
}

uint64_t DoublingPlan::BytesAt(uint64_t num_keys) const {
  if (KeepsDigestsAt(num_keys)) return num_keys * GrowthLadder::kBytesPerDigest;
  const size_t level = std::max(ladder_.LevelFor(OfShard(num_keys)), ladder_.first_level());
  return GrowingStore::kNumShards * ladder_[level].num_bytes();
}

}  // namespace trommel
