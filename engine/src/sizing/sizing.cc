// Sizing: the searches for a geometry and for a capacity. The models are in block_load.h,
// fingerprint_load.h and undecided_share.h, errors in geometry_checks.h.
#include "trommel/sizing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/src/base/out_of_range.h"
#include "engine/src/sizing/automatic_encoding.h"
#include "engine/src/sizing/block_load.h"
#include "engine/src/sizing/fingerprint_load.h"
#include "engine/src/sizing/geometry_checks.h"
#include "engine/src/sizing/undecided_share.h"
#include "kernels/run_block.h"

namespace trommel {
namespace {

// Shards bound the division into tasks and locks. 256 of them are enough for any machine, and a
// shard of 1,024 blocks is worth a task; beyond 256, shards should outgrow the first-level cache
// before there are more of them, so that the digest ranges of a split stay long. Rounding
// num_blocks up to a multiple of the shards costs less than 1 part in 1,024 (with overflow
// lines: geometry_checks.h).
constexpr uint64_t kMinBlocksPerShard = 1024;
constexpr uint64_t kMinBlocksOfManyShards = 4096;
constexpr uint32_t kFewShardBits = 8;
constexpr uint32_t kMaxShardBits = 10;

// Fewer cache lines per query are worth 2 % more memory: a query of runs reads 64 bytes of 4 or 5
// slices but 128 bytes of 10.
constexpr double kNearTie = 1.02;

// Does sizing choose this shape by itself? 8 slices of runs exist for Parquet's blocks: at every
// rate another shape needs fewer bytes, by at least 5 % (near a rate of 0.04 %).
bool IsCandidate(Encoding encoding, uint32_t num_slices) {
  return encoding != Encoding::kRuns || num_slices != 8;
}

// The probability that the counts of a block of `load` keys do not fit the encoding.
double PromotedChance(const Geometry& geometry, uint64_t load) noexcept {
  if (geometry.encoding == Encoding::kRuns) {
    return load > kernels::RunCapacity(geometry.num_slices) ? 1 : 0;
  }
  return PlanesPromotedChance(load);
}

double SideTableBytes(const Geometry& geometry, uint64_t num_keys) noexcept {
  if (HasFingerprints(geometry.encoding)) return FingerprintSideTableBytes(geometry, num_keys);
  const double bytes_per_block =
      MeanOverBlocks(num_keys, geometry.num_blocks, [&geometry](uint64_t load) {
        return PromotedChance(geometry, load) * PromotedBlockBytes(load, geometry.num_slices);
      });
  return bytes_per_block * static_cast<double>(geometry.num_blocks);
}

double BytesInAll(const Geometry& geometry, uint64_t num_keys) noexcept {
  return static_cast<double>(geometry.num_bytes()) + SideTableBytes(geometry, num_keys);
}

// Is the filter within its limits with so many keys? Planes are promoted so rarely that only the
// rate limits them. The undecided share, which takes the longest to predict, comes last.
bool Holds(const Geometry& geometry, uint64_t num_keys, double target_fpr,
           Preference preference = Preference::kMemory) noexcept {
  const double fpr = PredictedFpr(geometry, num_keys);
  if (fpr > target_fpr) return false;
  if (geometry.encoding == Encoding::kPlanes) return true;
  const double promoted_share = PredictedPromotedShare(geometry, num_keys);
  if (promoted_share > MaxPromotedShare(geometry.encoding, preference)) return false;
  if (fpr + promoted_share <= target_fpr) return true;  // no more than these can be undecided
  return fpr + PredictedUndecidedShare(geometry, num_keys) <= target_fpr;
}

// The least x in [1, limit] with holds(x), or nothing. `holds` should be false up to some x and
// true from there on; if it is not, the result still holds and its predecessor does not.
template <class Predicate>
std::optional<uint64_t> LeastThat(uint64_t limit, const Predicate& holds) {
  uint64_t low = 0;  // does not hold
  uint64_t high = 1;
  while (!holds(high)) {
    if (high == limit) return std::nullopt;
    low = high;
    high = std::min(limit, 2 * high);
  }
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

// The smallest geometry of these slices or slots, or nothing if it would exceed kMaxBlocks.
std::optional<Geometry> Smallest(const SizingRequest& request, uint32_t num_slices,
                                 uint32_t slots) {
  Geometry geometry{.num_slices = num_slices,
                    .encoding = request.encoding,
                    .fingerprint_bits = MaxFingerprintBits(request.encoding, slots),
                    .slots = slots};
  const auto is_enough = [&geometry, &request](uint64_t num_blocks) {
    geometry.num_blocks = num_blocks;
    return Holds(geometry, request.capacity, request.target_fpr, request.preference);
  };
  const std::optional<uint64_t> least = LeastThat(kMaxBlocks, is_enough);
  if (!least) return std::nullopt;

  uint64_t num_blocks = *least;
  if (request.power_of_two_blocks) {
    num_blocks = std::bit_ceil(num_blocks);
    if (num_blocks > kMaxBlocks) return std::nullopt;
  }
  num_blocks = RoundUpToShards(request.encoding, num_blocks);
  // Above 2^29 blocks the rate is not strictly monotone (blocks have 2 to 8 high halves, unevenly),
  // so a rounded count is checked again. The first check fails only for a few counts of that size.
  while (num_blocks <= kMaxBlocks && !is_enough(num_blocks)) {
    num_blocks = RoundUpToShards(request.encoding, num_blocks + 1);
  }
  if (num_blocks > kMaxBlocks) return std::nullopt;
  geometry.shard_bits = ShardBitsOf(request.encoding, num_blocks);
  geometry.num_blocks = num_blocks;
  return geometry;
}

std::optional<Geometry> SmallestOfAnyShape(const SizingRequest& request) {
  if (request.num_slices != 0) return Smallest(request, request.num_slices, 0);
  std::vector<Geometry> smallest;
  double fewest_bytes = std::numeric_limits<double>::infinity();
  const auto add = [&](uint32_t num_slices, uint32_t slots) {
    const std::optional<Geometry> geometry = Smallest(request, num_slices, slots);
    if (!geometry) return;
    smallest.push_back(*geometry);
    fewest_bytes = std::min(fewest_bytes, BytesInAll(*geometry, request.capacity));
  };
  for (const uint32_t num_slices : SlicesOf(request.encoding)) {
    if (!IsCandidate(request.encoding, num_slices)) continue;
    for (const uint32_t slots : SlotsOf(request.encoding)) add(num_slices, slots);
  }
  // The fewest bytes per block, then the fewest in all, then the fewest false positives.
  std::optional<Geometry> best;
  std::tuple<uint64_t, double, double> best_rank;
  for (const Geometry& geometry : smallest) {
    const double bytes = BytesInAll(geometry, request.capacity);
    if (bytes > kNearTie * fewest_bytes) continue;
    const std::tuple rank(geometry.num_bytes() / geometry.num_blocks, bytes,
                          PredictedFpr(geometry, request.capacity));
    if (best && rank >= best_rank) continue;
    best = geometry;
    best_rank = rank;
  }
  return best;
}

}  // namespace

uint32_t ShardBitsFor(uint64_t num_blocks) noexcept {
  const auto floor_log2 = [](uint64_t n) {
    return n == 0 ? 0U : static_cast<uint32_t>(std::bit_width(n)) - 1;
  };
  const uint32_t few = std::min(kFewShardBits, floor_log2(num_blocks / kMinBlocksPerShard));
  const uint32_t many = std::min(kMaxShardBits, floor_log2(num_blocks / kMinBlocksOfManyShards));
  return std::max(few, many);
}

Result<Sizing> SizeFor(const SizingRequest& request) {
  if (auto error = CheckRequest(request)) return *error;
  if (request.encoding == Encoding::kAutomatic) return SizeAutomatically(request);
  const std::optional<Geometry> geometry = SmallestOfAnyShape(request);
  if (!geometry) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = "capacity is " + std::to_string(request.capacity) + " and target_fpr " +
                            TextOf(request.target_fpr) + "; together they need more than " +
                            std::to_string(kMaxBlocks) + " blocks, the most a filter can have"};
  }
  return Sizing{.geometry = *geometry,
                .capacity = request.capacity,
                .target_fpr = request.target_fpr,
                .predicted_fpr = PredictedFpr(*geometry, request.capacity),
                .predicted_undecided_share = PredictedUndecidedShare(*geometry, request.capacity),
                .predicted_promoted_share = PredictedPromotedShare(*geometry, request.capacity),
                .predicted_side_table_bytes = PredictedSideTableBytes(*geometry, request.capacity),
                .bits_per_key = BytesInAll(*geometry, request.capacity) * 8 /
                                static_cast<double>(request.capacity)};
}

double PredictedFpr(const Geometry& geometry, uint64_t num_keys) noexcept {
  if (HasFingerprints(geometry.encoding)) return FingerprintFpr(geometry, num_keys);
  return MeanOverKeys(num_keys, geometry.num_blocks,
                      [&geometry](uint64_t load) { return BlockFpr(load, geometry.num_slices); });
}

double PredictedUndecidedShare(const Geometry& geometry, uint64_t num_keys) noexcept {
  if (!HasFingerprints(geometry.encoding)) return 0;
  return FingerprintUndecidedShare(geometry, num_keys);
}

double PredictedPromotedShare(const Geometry& geometry, uint64_t num_keys) noexcept {
  if (HasFingerprints(geometry.encoding)) return FingerprintPromotedShare(geometry, num_keys);
  return MeanOverBlocks(num_keys, geometry.num_blocks,
                        [&geometry](uint64_t load) { return PromotedChance(geometry, load); });
}

uint64_t PredictedSideTableBytes(const Geometry& geometry, uint64_t num_keys) noexcept {
  return static_cast<uint64_t>(std::llround(SideTableBytes(geometry, num_keys)));
}

Result<uint64_t> CapacityFor(const Geometry& geometry, double target_fpr) {
  if (Status status = Validate(geometry); !status.ok()) return status.error();
  if (auto error = CheckTargetFpr(target_fpr)) return *error;
  const std::optional<uint64_t> too_many = LeastThat(
      kMaxCapacity, [&](uint64_t num_keys) { return !Holds(geometry, num_keys, target_fpr); });
  return too_many ? *too_many - 1 : kMaxCapacity;
}

}  // namespace trommel
