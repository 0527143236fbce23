#include "engine/src/layered/layered_sizing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "engine/src/base/rounding.h"
#include "engine/src/sizing/geometry_checks.h"

namespace trommel {
namespace {

Error Invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// The shape of a first layer under this large one.
Geometry FirstShape(const Geometry& large) {
  if (large.slice_positions() == 64) return {.num_slices = 4, .encoding = Encoding::kRuns};
  return {.num_slices = 8, .encoding = Encoding::kPlanes};
}

// The smallest first layer that lets no more non-members pass.
Result<Sizing> SmallestFirst(const LayeredConfig& config, const Geometry& shape, double fpr) {
  return SizeFor({.capacity = config.capacity,
                  .target_fpr = fpr,
                  .num_slices = shape.num_slices,
                  .encoding = shape.encoding});
}

// Does the first layer do what a layer is for?
bool IsUseful(const Geometry& first, uint64_t capacity) {
  return PredictedFpr(first, capacity) <= kMaxTargetFpr &&
         (first.encoding == Encoding::kPlanes ||
          PredictedPromotedShare(first, capacity) <= MaxPromotedShare(first.encoding));
}

}  // namespace

uint64_t QueryBytes(const Geometry& geometry) noexcept { return geometry.query_bytes(); }

std::string NestingFault(const Geometry& first, const Geometry& large) {
  if (first.slice_positions() != large.slice_positions()) {
    return "slices of the first layer have " + std::to_string(first.slice_positions()) +
           " positions, of the large one " + std::to_string(large.slice_positions());
  }
  if (first.num_slices > large.num_slices) {
    return "num_slices is " + std::to_string(first.num_slices) +
           " in the first layer, more than the " + std::to_string(large.num_slices) +
           " of the large one";
  }
  if (large.num_blocks % first.num_blocks != 0) {
    return "num_blocks is " + std::to_string(large.num_blocks) +
           " in the large layer, not a multiple of the first one's " +
           std::to_string(first.num_blocks);
  }
  return "";
}

Result<LayerGeometries> SizeLayers(const LayeredConfig& config) {
  if (auto error = CheckPresenceEncoding("a LayeredFilter", config.encoding)) return *error;
  const bool is_shape_open = config.num_slices == 0 && config.encoding == Encoding::kRuns;
  const Result<Sizing> sizing = SizeFor({.capacity = config.capacity,
                                         .target_fpr = config.target_fpr,
                                         .num_slices = is_shape_open ? 8 : config.num_slices,
                                         .encoding = config.encoding});
  if (!sizing) return sizing.error();
  LayerGeometries layers{.first = FirstShape(sizing->geometry), .large = sizing->geometry};
  auto& [first, large] = layers;
  // Whole shards of the large layer in both: where they are many, blocks are many more.
  const uint64_t unit = uint64_t{1} << large.shard_bits;

  uint64_t num_parts = 1;  // large blocks of a first one
  if (config.first_query_bytes == 0) {
    if (config.first_fpr < config.target_fpr) {
      return Invalid("first_fpr is below target_fpr: a first layer must be smaller");
    }
    const Result<Sizing> smallest = SmallestFirst(config, first, config.first_fpr);
    if (!smallest) return Invalid("first layer: " + smallest.error().message);
    num_parts = large.num_blocks / smallest->geometry.num_blocks;
    if (num_parts == 0) {
      return Invalid("first_fpr asks for a first layer of " +
                     std::to_string(smallest->geometry.num_blocks) +
                     " blocks, more than the large one's " + std::to_string(large.num_blocks) +
                     "; it must be higher");
    }
  } else {
    Geometry one = first;
    one.num_blocks = 1;
    const uint64_t most = config.first_query_bytes / QueryBytes(one) / unit * unit;
    num_parts = most == 0 ? large.num_blocks : DivideUp(large.num_blocks, most);
    first.num_blocks = RoundUp(DivideUp(large.num_blocks, num_parts), unit);
    if (most == 0 || !IsUseful(first, config.capacity)) {
      const Result<Sizing> smallest = SmallestFirst(config, first, kMaxTargetFpr);
      if (!smallest) return Invalid("first layer: " + smallest.error().message);
      const uint64_t parts =
          std::max<uint64_t>(1, large.num_blocks / smallest->geometry.num_blocks);
      const uint64_t enough = RoundUp(DivideUp(large.num_blocks, parts), unit) * QueryBytes(one);
      return Invalid("first_query_bytes is " + std::to_string(config.first_query_bytes) +
                     "; with so few the first layer would let most non-members pass at " +
                     std::to_string(config.capacity) + " keys; " + std::to_string(enough) +
                     " are enough");
    }
  }
  first.num_blocks = RoundUp(DivideUp(large.num_blocks, num_parts), unit);
  large.num_blocks = first.num_blocks * num_parts;
  // Above 2^29 blocks a few more may be needed: see SizeFor.
  while (large.num_blocks <= kMaxBlocks &&
         PredictedFpr(large, config.capacity) > config.target_fpr) {
    first.num_blocks += unit;
    large.num_blocks = first.num_blocks * num_parts;
  }
  if (large.num_blocks > kMaxBlocks) {
    return Invalid("capacity is " + std::to_string(config.capacity) +
                   "; layers for so many keys need more than " + std::to_string(kMaxBlocks) +
                   " blocks");
  }
  first.shard_bits = std::min(large.shard_bits, ShardBitsFor(first.num_blocks));
  return layers;
}

}  // namespace trommel
