#include "engine/src/window/window_sizing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/src/base/rounding.h"
#include "engine/src/sizing/block_load.h"
#include "engine/src/sizing/geometry_checks.h"
#include "engine/src/sizing/overflow_line.h"
#include "engine/src/window/stamped_line.h"
#include "kernels/stamped_layout.h"

namespace trommel {
namespace {

// A block with more keys than slots is slower: kernels leave its updates to the store. With slots
// of 16 bits it is reached at 21.4 keys per block, with slots of 24 bits at 12.7. And a query for a
// non-member of such a block reads its line.
constexpr double kMostOverflowing = 0.012;
// Keys are replaced, and a block that its line has once refused keeps its keys in the side table
// until its slots are enough. So shares after many windows are above those of a store that was only
// filled. An allowance, not a model.
constexpr double kChurn = 4;

uint64_t NumSlots(const Geometry& geometry) {
  return geometry.fingerprint_bits == kernels::kStampedBits16 ? kernels::kStampedSlots16
                                                              : kernels::kStampedSlots24;
}

template <class F>
double MeanOfBlock(const Geometry& geometry, uint64_t num_keys, const F& f) {
  return MeanOverLoad(num_keys, 1 / static_cast<double>(geometry.num_blocks), f);
}

double OverflowingShare(const Geometry& geometry, uint64_t num_keys) {
  const uint64_t num_slots = NumSlots(geometry);
  return MeanOfBlock(geometry, num_keys,
                     [&](uint64_t load) { return load > num_slots ? 1.0 : 0.0; });
}

bool KeepsRate(const Geometry& geometry, uint64_t num_keys, double target_fpr) {
  return OverflowingShare(geometry, num_keys) <= kMostOverflowing &&
         WindowFpr(geometry, num_keys) + WindowUndecidedShare(geometry, num_keys) <= target_fpr;
}

Geometry GeometryOf(uint32_t fingerprint_bits, uint64_t num_blocks) {
  num_blocks = RoundUpToShards(Encoding::kFingerprints16, num_blocks);
  return {.num_slices = 0,
          .encoding = Encoding::kFingerprints16,
          .shard_bits = ShardBitsOf(Encoding::kFingerprints16, num_blocks),
          .num_blocks = num_blocks,
          .fingerprint_bits = fingerprint_bits};
}

}  // namespace

double WindowFpr(const Geometry& geometry, uint64_t num_keys) noexcept {
  const double chance = std::exp2(-static_cast<double>(geometry.fingerprint_bits));
  return MeanOfBlock(geometry, num_keys, [chance](uint64_t load) {
    const auto keys = static_cast<double>(load);
    const auto is_met = [keys](double p) { return -std::expm1(keys * std::log1p(-p)); };
    // Fingerprint 1 is drawn twice as often as others, and 0 never.
    return (1 - 2 * chance) * is_met(chance) + 2 * chance * is_met(2 * chance);
  });
}

double WindowUndecidedShare(const Geometry& geometry, uint64_t num_keys) noexcept {
  const uint64_t num_slots = NumSlots(geometry);
  // Entries of a block in its line.
  LineSums block{};
  for (size_t e = 0; e < block.size(); ++e) {
    block[e] = MeanOfBlock(geometry, num_keys, [&](uint64_t load) {
      const uint64_t overflow = load > num_slots ? load - num_slots : 0;
      return overflow == e ? 1.0 : 0.0;
    });
  }
  const uint64_t num_others = std::min(geometry.num_blocks, kBlocksOfGroup) - 1;
  const LineSums others = SumOfBlocks(block, num_others);
  double fits = block[0];
  for (size_t e = 1; e <= kStampedLineEntries; ++e) {
    double has_space = 0;
    for (size_t i = 0; i + e <= kStampedLineEntries; ++i) has_space += others[i];
    fits += block[e] * has_space;
  }
  return kChurn * std::max(0.0, 1 - fits);
}

namespace {

// The smallest geometry of a fingerprint's length that keeps the rate, if there is one of at least
// one key per block.
std::optional<Geometry> SmallestOf(uint32_t bits, uint64_t num_keys, double target_fpr) {
  uint64_t too_few = 0;
  uint64_t enough = std::min(num_keys, kMaxBlocks);
  if (!KeepsRate(GeometryOf(bits, enough), num_keys, target_fpr)) return std::nullopt;
  while (enough - too_few > 1 + enough / 2048) {
    const uint64_t middle = too_few + (enough - too_few) / 2;
    const bool keeps = KeepsRate(GeometryOf(bits, middle), num_keys, target_fpr);
    (keeps ? enough : too_few) = middle;
  }
  const Geometry geometry = GeometryOf(bits, enough);
  if (geometry.num_blocks > kMaxBlocks) return std::nullopt;
  return geometry;
}

}  // namespace

std::optional<Geometry> WindowGeometry(uint32_t num_buckets, uint64_t num_keys, double target_fpr) {
  const auto slots24 = SmallestOf(kernels::kStampedBits24, num_keys, target_fpr);
  if (num_buckets > kMaxSlots16Buckets) return slots24;
  const auto slots16 = SmallestOf(kernels::kStampedBits16, num_keys, target_fpr);
  if (!slots16) return slots24;
  return slots24 && slots24->num_blocks < slots16->num_blocks ? slots24 : slots16;
}

}  // namespace trommel
