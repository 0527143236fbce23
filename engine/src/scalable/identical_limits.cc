#include "engine/src/scalable/identical_limits.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "engine/src/base/out_of_range.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

constexpr uint64_t kSlicePositions = 32;  // of a block of 8 or 16 slices
// Of 8 slices; the number of blocks is rounded up to a multiple of 1024 at most.
constexpr uint64_t kMostPositions = kMaxBlocks / 1024 * 1024 * 8 * kSlicePositions;

Error Refused(std::string message) {
  return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
}

// num_slices and first_capacity in place of num_positions.
Result<ScalableConfig> WithPositionsResolved(ScalableConfig config) {
  const uint64_t num_positions = config.num_positions;
  if (num_positions > kMostPositions) {
    return OutOfRange("num_positions", num_positions, uint64_t{1}, kMostPositions);
  }
  std::vector<uint32_t> shapes = {8};
  if (config.encoding == Encoding::kPlanes) shapes.push_back(16);
  if (config.num_slices != 0) shapes = {config.num_slices};
  Error error;
  for (const uint32_t num_slices : shapes) {
    const uint64_t positions_per_block = kSlicePositions * num_slices;
    const uint64_t num_blocks = (num_positions + positions_per_block - 1) / positions_per_block;
    config.num_slices = num_slices;
    config.num_positions = 0;
    // Rounded down, so that it takes as many blocks and no more.
    config.first_capacity = static_cast<uint64_t>(static_cast<double>(num_blocks) *
                                                  kSlicePositions * std::numbers::ln2);
    const Result<GrowthSlot> slot = FirstSlot(config);
    if (slot.ok()) {
      config.first_capacity = slot->capacity;
      return config;
    }
    error = slot.error();
  }
  return error;
}

// max_capacity in place of largest_fpr.
Result<ScalableConfig> WithLimitResolved(ScalableConfig config) {
  const double largest_fpr = config.largest_fpr;
  // Written so that NaN fails.
  if (!(largest_fpr > 0 && largest_fpr < 1)) {
    return OutOfRange("largest_fpr", largest_fpr, "above 0 and below 1, or 0 (no limit)");
  }
  const Result<GrowthSlot> slot = FirstSlot(config);
  if (!slot.ok()) return slot.error();
  const double generation_fpr = FprAtCapacity(*slot);
  const uint64_t most = std::min<uint64_t>(MostGenerations(generation_fpr, largest_fpr),
                                           ScalableFilter::kMaxGenerations);
  if (most == 0) {
    return Refused("largest_fpr is " + TextOf(largest_fpr) + "; it must be at least " +
                   TextOf(generation_fpr) + ", the rate of one generation");
  }
  config.largest_fpr = 0;
  const uint64_t most_keys = most * slot->capacity;
  if (config.max_capacity > most_keys) {
    return Refused("max_capacity is " + TextOf(config.max_capacity) + "; with largest_fpr " +
                   TextOf(largest_fpr) + " at most " + TextOf(most_keys) + " keys in " +
                   TextOf(most) + " generations can be promised");
  }
  // Half a generation less takes as many generations, also where a reader of the file finds a
  // capacity that differs a little (scalable_filter_snapshot.cc).
  if (config.max_capacity == 0) {
    config.max_capacity = std::min(most_keys - slot->capacity / 2, kMaxCapacity);
  }
  return config;
}

}  // namespace

double FprAtCapacity(const GrowthSlot& slot) noexcept {
  constexpr int kSteps = 64;
  const double step = static_cast<double>(slot.capacity) / kSteps;
  const auto fpr_of = [&](double num_keys) {
    return PredictedFpr(slot.geometry, static_cast<uint64_t>(std::llround(num_keys)));
  };
  double num_keys = 0;
  for (int i = 0; i < kSteps; ++i) num_keys += step / (1 - fpr_of(num_keys + step / 2));
  return fpr_of(num_keys);
}

uint64_t MostGenerations(double generation_fpr, double largest_fpr) noexcept {
  // What d generations have allows d: a quotient that is whole but for rounding is rounded up.
  constexpr double kRounding = 1 + 1e-12;
  const double quotient = std::log1p(-largest_fpr) / std::log1p(-generation_fpr);
  constexpr double kMost = 0x1p53;  // a generation of a key or two has next to no rate
  return static_cast<uint64_t>(std::floor(std::min(quotient * kRounding, kMost)));
}

Result<ScalableConfig> Resolved(const ScalableConfig& asked_for) {
  ScalableConfig config = asked_for;
  if (config.encoding == Encoding::kAutomatic) config.encoding = Encoding::kRuns;
  if (config.mode != GrowthMode::kIdentical) {
    if (config.num_positions != 0) {
      return OutOfRange("num_positions", config.num_positions, "0 but for identical generations");
    }
    if (config.largest_fpr != 0) {
      return OutOfRange("largest_fpr", config.largest_fpr,
                        "0 but for identical generations: target_fpr is of the whole filter");
    }
    return config;
  }
  if ((config.first_capacity == 0) == (config.num_positions == 0)) {
    return Refused("first_capacity is " + TextOf(config.first_capacity) + " and num_positions " +
                   TextOf(config.num_positions) + "; exactly one of them must be given");
  }
  Result<ScalableConfig> resolved = config;
  if (config.num_positions != 0) resolved = WithPositionsResolved(config);
  if (!resolved.ok() || config.largest_fpr == 0) return resolved;
  return WithLimitResolved(*resolved);
}

}  // namespace trommel
