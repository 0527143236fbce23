#include "engine/src/scalable/doubling_plan.h"

#include <cmath>
#include <optional>
#include <string>

#include "engine/src/base/out_of_range.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/scalable/growth_choice.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

constexpr uint32_t kFullLength = 15;  // bits of a newcomer's code
// The size that a filter without max_capacity must reach within its target.
constexpr uint64_t kUsualLargest = 1'000'000'000;

// While parts keep whole digests: they need at most so many bytes for a key, and have blocks from
// about so many keys on.
constexpr uint64_t kBytesPerDigest = 12;
constexpr uint64_t kMostDigestKeys = GrowingStore::kNumShards * 1280;

uint64_t BlocksOfBits(uint32_t shard_block_bits) {
  return GrowingStore::kNumShards << shard_block_bits;
}

uint64_t CapacityOfBits(uint32_t shard_block_bits) {
  return static_cast<uint64_t>(GrowingStore::kFullLoad *
                               static_cast<double>(BlocksOfBits(shard_block_bits)));
}

// What queries beside writers cannot decide at this load; hardly anything depends on the number of
// blocks.
double UndecidedAt(double load) {
  const Geometry like{.num_slices = 0,
                      .encoding = Encoding::kFingerprints16,
                      .num_blocks = BlocksOfBits(DoublingPlan::kLeastFirstBits),
                      .fingerprint_bits = 16};
  return PredictedUndecidedShare(
      like, static_cast<uint64_t>(load * static_cast<double>(like.num_blocks)));
}

double FullFpr(uint32_t first_bits, uint32_t num_doublings) {
  const auto num_blocks = static_cast<double>(BlocksOfBits(first_bits + num_doublings));
  return DoublingPlan::FprOf(GrowingStore::kFullLoad * num_blocks, num_blocks,
                             static_cast<double>(BlocksOfBits(first_bits))) +
         UndecidedAt(GrowingStore::kFullLoad);
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
  const uint64_t most = CapacityOfBits(DoublingPlan::kMostFirstBits);
  if (config.first_capacity > most) {
    return OutOfRange("first_capacity", config.first_capacity, "at most " + TextOf(most));
  }
  if (config.max_capacity > kMaxCapacity) {
    return OutOfRange("max_capacity", config.max_capacity, "at most " + TextOf(kMaxCapacity));
  }
  return std::nullopt;
}

}  // namespace

Result<DoublingPlan> DoublingPlan::Make(const ScalableConfig& config) {
  if (auto error = CheckDoubling(config)) return *error;
  uint32_t first_bits = kLeastFirstBits;
  while (CapacityOfBits(first_bits) < config.first_capacity) ++first_bits;

  // As far as the target allows.
  uint32_t most = 0;
  while (most < MostDoublings(first_bits) && FullFpr(first_bits, most + 1) <= config.target_fpr) {
    ++most;
  }
  const DoublingPlan plan(first_bits, most);
  uint64_t wanted = config.max_capacity;
  if (wanted == 0 && config.mode == GrowthMode::kAutomatic) {
    wanted = std::min(kUsualLargest, CapacityOfBits(first_bits + MostDoublings(first_bits)));
  }
  if (FullFpr(first_bits, 0) > config.target_fpr || plan.largest_capacity() < wanted) {
    const DoublingPlan longer(first_bits, MostDoublings(first_bits));
    return Error{ErrorCode::kInvalidArgument,
                 "target_fpr is " + TextOf(config.target_fpr) + "; from " +
                     TextOf(plan.first_capacity()) + " keys on, a filter that doubles reaches " +
                     TextOf(longer.FprAt(std::max(wanted, plan.first_capacity()))) + " at " +
                     TextOf(std::max(wanted, plan.first_capacity())) + " keys"};
  }
  if (config.max_capacity == 0) return plan;
  return DoublingPlan(first_bits, plan.DoublingsAt(config.max_capacity));
}

uint64_t DoublingPlan::CapacityAfter(uint32_t num_doublings) const {
  return CapacityOfBits(first_bits_ + num_doublings);
}

uint32_t DoublingPlan::DoublingsAt(uint64_t num_keys) const {
  uint32_t num_doublings = 0;
  while (num_doublings < most_doublings_ && CapacityAfter(num_doublings) < num_keys) {
    ++num_doublings;
  }
  return num_doublings;
}

uint64_t DoublingPlan::BlocksAt(uint64_t num_keys) const {
  return BlocksOfBits(first_bits_ + DoublingsAt(num_keys));
}

double DoublingPlan::FprAt(uint64_t num_keys) const {
  if (KeepsDigestsAt(num_keys)) return 0;
  const auto num_blocks = static_cast<double>(BlocksAt(num_keys));
  const auto num_entries = static_cast<double>(num_keys);
  return std::min(1.0,
                  FprOf(num_entries, num_blocks, static_cast<double>(BlocksOfBits(first_bits_))) +
                      UndecidedAt(num_entries / num_blocks));
}

uint64_t DoublingPlan::BytesAt(uint64_t num_keys) const {
  if (KeepsDigestsAt(num_keys)) return num_keys * kBytesPerDigest;
  return GrowingStore::BytesAt(first_bits_ + DoublingsAt(num_keys));
}

bool DoublingPlan::KeepsDigestsAt(uint64_t num_keys) const {
  return first_bits_ == kLeastFirstBits && num_keys < kMostDigestKeys;
}

double DoublingPlan::FprOf(double num_entries, double num_blocks, double first_blocks) {
  constexpr double kFullCodes = 1 << kFullLength;
  const double doublings = std::floor(std::log2(std::max(1.0, num_blocks / first_blocks)) + 1e-9);
  const double blocks_before = first_blocks * std::exp2(doublings);
  // A share of the blocks before has doubled once more, so that their entries are spread thinner.
  const double doubled = std::max(0.0, num_blocks / blocks_before - 1);
  const double load = num_entries / blocks_before * (1 - doubled / 2);
  return -std::expm1(-(load + GrowingStore::kFullLoad * (doublings + doubled) / 2) / kFullCodes);
}

}  // namespace trommel
