// Sizing: the searches for a geometry and for a capacity, and their errors. The model itself is in
// block_load.h.
#include "trommel/sizing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "engine/src/block_load.h"

namespace trommel {
namespace {

// Shards are the unit of parallel work and of locks: each is blocks that one task owns. 256 of them
// feed any machine, and shards of 1024 blocks are worth a task; beyond 256 a shard should outgrow
// the first-level cache before there are more of them, so that a split's runs stay long. Rounding
// num_blocks up to a multiple of the shards costs less than 1 part in 1024.
constexpr uint64_t kMinBlocksPerShard = 1024;
constexpr uint64_t kMinBlocksOfManyShards = 4096;
constexpr uint32_t kFewShardBits = 8;
constexpr uint32_t kMaxShardBits = 10;

// With 8 slices a query reads 32 bytes, not 64; that is worth 2 % more memory.
constexpr double kNearTie = 1.02;

std::string Text(double value) {
  if (std::isnan(value)) return "nan";  // to_chars may print its sign
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

Error Invalid(std::string message) {
  return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
}

std::optional<Error> CheckTargetFpr(double target_fpr) {
  // Written so that NaN fails.
  if (target_fpr >= kMinTargetFpr && target_fpr <= kMaxTargetFpr) return std::nullopt;
  return Invalid("target_fpr is " + Text(target_fpr) + "; it must be between " +
                 Text(kMinTargetFpr) + " and " + Text(kMaxTargetFpr));
}

std::optional<Error> CheckEncoding(Encoding encoding) {
  if (encoding == Encoding::kPlanes) return std::nullopt;
  return Invalid("encoding is " + std::to_string(static_cast<unsigned>(encoding)) +
                 "; it must be 0 (planes)");
}

std::optional<Error> CheckRequest(const SizingRequest& request) {
  if (request.capacity == 0 || request.capacity > kMaxCapacity) {
    return Invalid("capacity is " + std::to_string(request.capacity) +
                   "; it must be between 1 and " + std::to_string(kMaxCapacity));
  }
  if (auto error = CheckTargetFpr(request.target_fpr)) return error;
  if (request.num_slices != 0 && request.num_slices != 8 && request.num_slices != 16) {
    return Invalid("num_slices is " + std::to_string(request.num_slices) +
                   "; it must be 8, 16 or 0 (chosen by bytes)");
  }
  return CheckEncoding(request.encoding);
}

double Fpr(uint32_t num_slices, uint64_t num_blocks, uint64_t num_keys) noexcept {
  return MeanOverKeys(num_keys, num_blocks,
                      [num_slices](uint64_t load) { return BlockFpr(load, num_slices); });
}

// The least x in [1, limit] with holds(x), or nothing. `holds` must be false up to some x and true
// from there on; where it is not, the answer still holds and its predecessor does not.
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

// The smallest geometry of num_slices slices, or nothing if it would exceed kMaxBlocks.
std::optional<Geometry> Smallest(const SizingRequest& request, uint32_t num_slices) {
  const auto keeps_target = [&](uint64_t num_blocks) {
    return Fpr(num_slices, num_blocks, request.capacity) <= request.target_fpr;
  };
  const std::optional<uint64_t> least = LeastThat(kMaxBlocks, keeps_target);
  if (!least) return std::nullopt;

  uint64_t num_blocks = *least;
  if (request.power_of_two_blocks) {
    num_blocks = std::bit_ceil(num_blocks);
    if (num_blocks > kMaxBlocks) return std::nullopt;
  }
  const uint32_t shard_bits = ShardBitsFor(num_blocks);
  const uint64_t unit = uint64_t{1} << shard_bits;
  num_blocks = (num_blocks + unit - 1) / unit * unit;
  // Above 2^29 blocks the rate is not strictly monotone (blocks own 2 to 8 halves, unevenly), so a
  // rounded count is asked again. The first answer is yes, but for a few counts of that size.
  while (num_blocks <= kMaxBlocks && !keeps_target(num_blocks)) num_blocks += unit;
  if (num_blocks > kMaxBlocks) return std::nullopt;
  return Geometry{.num_slices = num_slices,
                  .encoding = request.encoding,
                  .shard_bits = shard_bits,
                  .num_blocks = num_blocks};
}

std::optional<Geometry> SmallestOfAnySlices(const SizingRequest& request) {
  if (request.num_slices != 0) return Smallest(request, request.num_slices);
  const std::optional<Geometry> eight = Smallest(request, 8);
  const std::optional<Geometry> sixteen = Smallest(request, 16);
  if (!eight || !sixteen) return eight ? eight : sixteen;
  const bool sixteen_is_worth_it = static_cast<double>(eight->num_bytes()) >
                                   kNearTie * static_cast<double>(sixteen->num_bytes());
  return sixteen_is_worth_it ? sixteen : eight;
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

std::string_view EncodingName(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::kPlanes:
      return "planes";
    case Encoding::kRuns:
      return "runs";
  }
  return "unknown";
}

Status Validate(const Geometry& geometry) {
  if (geometry.num_slices != 8 && geometry.num_slices != 16) {
    return Invalid("num_slices is " + std::to_string(geometry.num_slices) + "; it must be 8 or 16");
  }
  if (auto error = CheckEncoding(geometry.encoding)) return *error;
  if (geometry.num_blocks == 0 || geometry.num_blocks > kMaxBlocks) {
    return Invalid("num_blocks is " + std::to_string(geometry.num_blocks) +
                   "; it must be between 1 and " + std::to_string(kMaxBlocks));
  }
  if (geometry.shard_bits >= 31) {  // not even one block a shard; and shifts below stay defined
    return Invalid("shard_bits is " + std::to_string(geometry.shard_bits) +
                   "; it must be between 0 and 30");
  }
  if (geometry.num_blocks % (uint64_t{1} << geometry.shard_bits) != 0) {
    return Invalid("num_blocks is " + std::to_string(geometry.num_blocks) + "; with shard_bits " +
                   std::to_string(geometry.shard_bits) + " it must be a multiple of " +
                   std::to_string(uint64_t{1} << geometry.shard_bits));
  }
  return Ok();
}

Result<Sizing> SizeFor(const SizingRequest& request) {
  if (auto error = CheckRequest(request)) return *error;
  const std::optional<Geometry> geometry = SmallestOfAnySlices(request);
  if (!geometry) {
    return Invalid("capacity is " + std::to_string(request.capacity) + " and target_fpr " +
                   Text(request.target_fpr) + "; together they need more than " +
                   std::to_string(kMaxBlocks) + " blocks, the most a filter can have");
  }
  return Sizing{.geometry = *geometry,
                .capacity = request.capacity,
                .target_fpr = request.target_fpr,
                .predicted_fpr = PredictedFpr(*geometry, request.capacity),
                .predicted_promoted_share = PredictedPromotedShare(*geometry, request.capacity),
                .bits_per_key = static_cast<double>(geometry->num_bytes()) * 8 /
                                static_cast<double>(request.capacity)};
}

double PredictedFpr(const Geometry& geometry, uint64_t num_keys) noexcept {
  return Fpr(geometry.num_slices, geometry.num_blocks, num_keys);
}

double PredictedPromotedShare(const Geometry& geometry, uint64_t num_keys) noexcept {
  return MeanOverBlocks(num_keys, geometry.num_blocks, [&](uint64_t load) {
    return PlanesPromotedChance(load, geometry.num_slices);
  });
}

Result<uint64_t> CapacityFor(const Geometry& geometry, double target_fpr) {
  if (Status status = Validate(geometry); !status.ok()) return status.error();
  if (auto error = CheckTargetFpr(target_fpr)) return *error;
  const std::optional<uint64_t> too_many = LeastThat(kMaxCapacity, [&](uint64_t num_keys) {
    return PredictedFpr(geometry, num_keys) > target_fpr;
  });
  return too_many ? *too_many - 1 : kMaxCapacity;
}

}  // namespace trommel
