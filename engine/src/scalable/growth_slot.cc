// One slot: its budget by a formula, its blocks by sizing.
#include "engine/src/scalable/growth_slot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/out_of_range.h"
#include "engine/src/base/rounding.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/sizing/block_load.h"
#include "engine/src/sizing/geometry_checks.h"
#include "kernels/fingerprint_layout.h"

namespace trommel {
namespace {

constexpr uint32_t kMaxGrowth = 16;
constexpr double kMinTightening = 0.1;
constexpr double kMaxTightening = 0.95;
constexpr size_t kMaxGenerations = ScalableFilter::kMaxGenerations;

Error Impossible(std::string message) {
  return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
}

std::optional<Error> CheckNumbers(const ScalableConfig& config) {
  if (const Status digest = CheckPolicy(config.digest); !digest.ok()) return digest.error();
  if (config.first_capacity == 0 || config.first_capacity > kMaxCapacity) {
    return OutOfRange("first_capacity", config.first_capacity, uint64_t{1}, kMaxCapacity);
  }
  if (config.max_capacity > kMaxCapacity) {
    return OutOfRange("max_capacity", config.max_capacity,
                      "at most " + std::to_string(kMaxCapacity));
  }
  if (config.growth == 0 || config.growth > kMaxGrowth) {
    return OutOfRange("growth", config.growth, 1U, kMaxGrowth);
  }
  // Written so that NaN fails.
  if (!(config.tightening >= kMinTightening && config.tightening <= kMaxTightening)) {
    return OutOfRange("tightening", config.tightening, kMinTightening, kMaxTightening);
  }
  return std::nullopt;
}

// Blocks in as many equal parts as there are locks, or in a multiple of that.
Geometry Divided(Geometry geometry) {
  geometry.shard_bits = std::max(geometry.shard_bits, kGenerationLockBits);
  geometry.num_blocks =
      RoundUp(geometry.num_blocks, BlockUnit(geometry.encoding, geometry.shard_bits));
  return geometry;
}

// Sizing keeps the undecided share of keys that are in once within the rate. Where they are there
// more often SlotFpr may be higher: then more blocks than sizing found, the fewest.
Geometry Enlarged(Geometry geometry, const SlotBudget& budget) {
  const auto keeps_budget = [&](uint64_t num_blocks) {
    Geometry larger = geometry;
    larger.num_blocks = num_blocks;
    return SlotFpr(larger, budget.capacity) <= budget.budget_fpr;
  };
  if (keeps_budget(geometry.num_blocks)) return geometry;
  const uint64_t unit = BlockUnit(geometry.encoding, geometry.shard_bits);
  uint64_t too_few = geometry.num_blocks / unit;
  uint64_t enough = 2 * too_few;
  while (enough * unit <= kMaxBlocks && !keeps_budget(enough * unit)) {
    too_few = enough;
    enough *= 2;
  }
  while (enough - too_few > 1) {
    const uint64_t middle = too_few + (enough - too_few) / 2;
    (keeps_budget(middle * unit) ? enough : too_few) = middle;
  }
  geometry.num_blocks = enough * unit;
  return geometry;
}

Result<GrowthSlot> SlotOfEncoding(const SlotBudget& budget, uint32_t num_slices,
                                  Encoding encoding) {
  const Result<Sizing> sizing = SizeFor({.capacity = budget.capacity,
                                         .target_fpr = budget.budget_fpr,
                                         .num_slices = HasFingerprints(encoding) ? 0 : num_slices,
                                         .encoding = encoding});
  if (!sizing.ok()) return sizing.error();
  Geometry geometry = Divided(sizing->geometry);
  if (HasFingerprints(encoding)) geometry = Enlarged(geometry, budget);
  if (!Validate(geometry).ok()) {
    return Impossible("first_capacity is " + std::to_string(budget.capacity) +
                      "; it needs more than " + std::to_string(kMaxBlocks) +
                      " blocks, the most a generation can have");
  }
  return GrowthSlot{
      .geometry = geometry, .capacity = budget.capacity, .budget_fpr = budget.budget_fpr};
}

// What generations of slices have: where the encoding is chosen, runs.
Encoding EncodingOfSlices(Encoding encoding) {
  return encoding == Encoding::kAutomatic ? Encoding::kRuns : encoding;
}

// The slot's budget: target_fpr (1 - r) r^i.
double BudgetFpr(const ScalableConfig& config, size_t slot_idx) {
  return config.target_fpr * (1 - config.tightening) *
         std::pow(config.tightening, static_cast<double>(slot_idx));
}

// Bytes per key of a filter of this shape whose first slots are full: as many as are compared, or
// as max_capacity takes. Fails if the first slot cannot be.
Result<double> BytesPerKey(const ScalableConfig& config, uint32_t num_slices) {
  constexpr size_t kSlotsCompared = 8;
  double bytes = 0;
  uint64_t total = 0;
  uint64_t capacity = config.first_capacity;
  for (size_t i = 0; i < kSlotsCompared && capacity <= kMaxCapacity; ++i) {
    const Result<Sizing> sizing = SizeFor({.capacity = capacity,
                                           .target_fpr = BudgetFpr(config, i),
                                           .num_slices = num_slices,
                                           .encoding = config.encoding});
    if (!sizing.ok() && i == 0) return sizing.error();
    if (!sizing.ok()) break;
    bytes += sizing->bits_per_key / 8 * static_cast<double>(capacity);
    total += capacity;
    capacity *= config.growth;
    if (config.max_capacity != 0 && total >= config.max_capacity) break;
  }
  return bytes / static_cast<double>(total);
}

}  // namespace

Status CheckGrowth(const ScalableConfig& config) {
  if (auto error = CheckNumbers(config)) return *error;
  const Result<Sizing> alone = SizeFor({.capacity = 1,
                                        .target_fpr = config.target_fpr,
                                        .num_slices = config.num_slices,
                                        .encoding = EncodingOfSlices(config.encoding)});
  if (!alone.ok()) return alone.error();
  if (BudgetFpr(config, 0) < kMinTargetFpr) {
    return Impossible("target_fpr is " + TextOf(config.target_fpr) + "; with tightening " +
                      TextOf(config.tightening) + " the first generation's share would be " +
                      TextOf(BudgetFpr(config, 0)) + ", and the least a generation can keep is " +
                      TextOf(kMinTargetFpr));
  }
  return Ok();
}

std::optional<SlotBudget> TighteningBudget(const ScalableConfig& config, size_t slot_idx) {
  if (slot_idx >= kMaxGenerations) return std::nullopt;
  const uint64_t enough = config.max_capacity != 0 ? config.max_capacity : kMaxCapacity;
  uint64_t capacity = config.first_capacity;
  uint64_t total = 0;
  for (size_t i = 0; i < slot_idx; ++i) {
    total += capacity;
    capacity *= config.growth;
    if (total >= enough || capacity > kMaxCapacity) return std::nullopt;
  }
  const double budget_fpr = BudgetFpr(config, slot_idx);
  if (budget_fpr < kMinTargetFpr) return std::nullopt;
  return SlotBudget{.capacity = capacity, .budget_fpr = budget_fpr};
}

double SlotFpr(const Geometry& geometry, uint64_t num_keys) noexcept {
  const double shown = PredictedFpr(geometry, num_keys);
  if (geometry.encoding != Encoding::kFingerprints16) {
    return std::min(1.0, shown + PredictedUndecidedShare(geometry, num_keys));
  }
  // Further copies may fill the overflow lines. Then a block cannot decide as soon as it has more
  // keys that differ than it shows beside its mark, in 31 slots.
  constexpr uint64_t kShownBesideMark = kernels::kWideSlots - 1;
  const double crowded =
      MeanOverLoad(num_keys, 1 / static_cast<double>(geometry.num_blocks),
                   [](uint64_t load) { return load > kShownBesideMark ? 1.0 : 0.0; });
  return std::min(1.0, shown + crowded);
}

uint64_t SlotBytes(const Geometry& geometry, uint64_t num_keys) noexcept {
  uint64_t num_versions = 0;
  if (HasFingerprints(geometry.encoding)) {
    num_versions = (geometry.num_blocks + kernels::kGroupBlocks - 1) / kernels::kGroupBlocks;
  }
  return geometry.num_bytes() + num_versions * sizeof(uint64_t) +
         PredictedSideTableBytes(geometry, num_keys);
}

Result<GrowthSlot> TighteningSlot(const SlotBudget& budget, uint32_t num_slices,
                                  Encoding encoding) {
  Result<GrowthSlot> best = SlotOfEncoding(budget, num_slices, EncodingOfSlices(encoding));
  if (encoding != Encoding::kAutomatic) return best;
  for (const Encoding other : {Encoding::kDense, Encoding::kFingerprints16}) {
    const Result<GrowthSlot> slot = SlotOfEncoding(budget, 0, other);
    if (!slot.ok()) continue;
    if (!best.ok() ||
        SlotBytes(slot->geometry, budget.capacity) < SlotBytes(best->geometry, budget.capacity)) {
      best = slot;
    }
  }
  return best;
}

// One shape for all generations, so that what a key marks is computed once. Every generation costs
// a query its lines, so blocks of two cache lines must save a fifth of the memory to be worth it.
Result<uint32_t> SlicesForTightening(const ScalableConfig& asked_for) {
  if (asked_for.num_slices != 0 || HasFingerprints(asked_for.encoding)) return asked_for.num_slices;
  ScalableConfig config = asked_for;
  config.encoding = EncodingOfSlices(asked_for.encoding);
  constexpr double kWorthALine = 1.25;
  constexpr std::array<uint32_t, 1> kPlaneShapes = {8};
  constexpr std::array<uint32_t, 3> kRunShapes = {4, 5, 10};  // the last one's are two lines
  const std::span<const uint32_t> shapes =
      config.encoding == Encoding::kRuns ? std::span<const uint32_t>(kRunShapes) : kPlaneShapes;
  std::optional<Error> error;
  std::vector<std::pair<uint32_t, double>> bytes_of_shape;
  double fewest_bytes = std::numeric_limits<double>::infinity();
  for (const uint32_t shape : shapes) {
    const Result<double> bytes = BytesPerKey(config, shape);
    if (!bytes.ok()) {
      error = bytes.error();
      continue;
    }
    bytes_of_shape.emplace_back(shape, *bytes);
    fewest_bytes = std::min(fewest_bytes, *bytes);
  }
  for (const auto& [shape, bytes] : bytes_of_shape) {
    if (bytes <= kWorthALine * fewest_bytes) return shape;
  }
  return *error;
}

Result<GrowthSlot> FirstSlot(const ScalableConfig& config) {
  if (Status good = CheckGrowth(config); !good.ok()) return good.error();
  const Result<uint32_t> num_slices = SlicesForTightening(config);
  if (!num_slices.ok()) return num_slices.error();
  return TighteningSlot({.capacity = config.first_capacity, .budget_fpr = BudgetFpr(config, 0)},
                        *num_slices, config.encoding);
}

}  // namespace trommel
