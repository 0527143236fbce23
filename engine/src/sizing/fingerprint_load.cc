#include "engine/src/sizing/fingerprint_load.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/src/sizing/block_load.h"
#include "engine/src/sizing/dense_load.h"
#include "engine/src/sizing/geometry_checks.h"
#include "engine/src/sizing/overflow_line.h"
#include "kernels/fingerprint_layout.h"

namespace trommel {
namespace {

constexpr uint64_t kSlotsBesideMark = kernels::kWideSlots - 1;

// A record of the side table (fingerprints/hidden_keys.h): the block's index and five words, in
// arrays with an eighth to spare, and about 8 bytes to find it. More hidden keys than it holds are
// in a list, which begins with one more and doubles; the lists are in an array that doubles, too.
constexpr double kRecordBytes = 48 * 9.0 / 8 + 8;
constexpr double kEntriesOfRecord = 8;
constexpr double kListBytes = 24 * 3.0 / 2;
constexpr double kBytesOfEntry = 16;

double BytesBesideRecord(double num_hidden) {
  if (num_hidden <= kEntriesOfRecord) return 0;
  double num_places = kEntriesOfRecord + 1;
  while (num_places < num_hidden) num_places *= 2;
  return kListBytes + kBytesOfEntry * num_places;
}

// Keys of a marked block that are not in its slots.
uint64_t Overflow(uint64_t load) {
  return load > kernels::kWideSlots ? load - kSlotsBesideMark : 0;
}

// The mean of f over the load of a block.
template <class F>
double MeanOfBlock(const Geometry& geometry, uint64_t num_keys, const F& f) {
  return MeanOverLoad(num_keys, 1 / static_cast<double>(geometry.num_blocks), f);
}

// What is known of one block's overflow.
struct BlockOverflow {
  LineSums chances{};
  double mean = 0;
  double promoted_share = 0;
  double extra_bytes = 0;  // beside the record of a promoted block, on average
};

BlockOverflow OverflowOf(const Geometry& geometry, uint64_t num_keys) {
  const auto mean_of = [&](const auto& f) { return MeanOfBlock(geometry, num_keys, f); };
  BlockOverflow overflow;
  for (size_t i = 0; i <= kEntriesOfLine; ++i) {
    overflow.chances[i] = mean_of([i](uint64_t load) { return Overflow(load) == i ? 1.0 : 0.0; });
  }
  overflow.mean = mean_of([](uint64_t load) { return static_cast<double>(Overflow(load)); });
  overflow.promoted_share = FingerprintPromotedShare(geometry, num_keys);
  if (overflow.promoted_share == 0) return overflow;
  overflow.extra_bytes = mean_of([](uint64_t load) {
                           return BytesBesideRecord(static_cast<double>(Overflow(load)));
                         }) /
                         overflow.promoted_share;
  return overflow;
}

// The loads of a group's blocks are taken as independent.
double BytesOfGroup(const BlockOverflow& overflow, uint64_t num_blocks) {
  const LineSums sums = SumOfBlocks(overflow.chances, num_blocks);
  // E[(sum - 18)+] = E[sum] - 18 + E[(18 - sum)+]: only sums that fit are needed.
  const auto blocks = static_cast<double>(num_blocks);
  double num_beyond = overflow.mean * blocks - kEntriesOfLine;
  double chance_beyond = 1;
  for (size_t i = 0; i < sums.size(); ++i) {
    num_beyond += static_cast<double>(kEntriesOfLine - i) * sums[i];
    chance_beyond -= sums[i];
  }
  constexpr double kRounding = 1e-12;
  if (num_beyond < kRounding || chance_beyond < kRounding) return 0;
  const double num_promoted = overflow.promoted_share * blocks;
  const double mean_of_promoted = overflow.mean / overflow.promoted_share;
  const double num_records = std::min(num_promoted, num_beyond / mean_of_promoted + chance_beyond);
  return num_records * (kRecordBytes + overflow.extra_bytes);
}

double WideSideTableBytes(const Geometry& geometry, uint64_t num_keys) {
  const BlockOverflow overflow = OverflowOf(geometry, num_keys);
  if (overflow.promoted_share == 0) return 0;
  const uint64_t num_groups = geometry.num_blocks / kBlocksOfGroup;
  const uint64_t num_left = geometry.num_blocks % kBlocksOfGroup;
  double bytes = 0;
  if (num_groups > 0) {
    bytes += static_cast<double>(num_groups) * BytesOfGroup(overflow, kBlocksOfGroup);
  }
  if (num_left > 0) bytes += BytesOfGroup(overflow, num_left);
  return bytes;
}

// Lines beyond those that there always are, and records.
double DenseSideTableBytes(const Geometry& geometry, uint64_t num_keys) {
  if (num_keys == 0) return 0;
  const DenseLoad load = DenseLoadOf(geometry, num_keys);
  const double lines = load.lines_per_block - 1.0 / kernels::kMaxBlocksPerLine;
  return (64 * lines + load.side_bytes_per_block) * static_cast<double>(geometry.num_blocks);
}

}  // namespace

double FingerprintBlockFpr(const Geometry& geometry, uint64_t load) noexcept {
  const auto keys = static_cast<double>(load);
  const double chance = 1 / static_cast<double>(geometry.num_values());
  const auto is_met = [keys](double p) { return -std::expm1(keys * std::log1p(-p)); };
  if (geometry.encoding == Encoding::kDense) return is_met(chance);
  // Of 256 low bytes two are taken by reserved values' neighbours, twice as often as the others.
  constexpr double kTwofold = 4.0 / 256;
  return (1 - kTwofold) * is_met(chance) + kTwofold * is_met(2 * chance);
}

double FingerprintPromotedChance(const Geometry& geometry, uint64_t load) noexcept {
  if (geometry.encoding == Encoding::kFingerprints16) return Overflow(load) > 0 ? 1 : 0;
  return load > geometry.slots ? 1 : 0;
}

double FingerprintFpr(const Geometry& geometry, uint64_t num_keys) noexcept {
  return MeanOfBlock(geometry, num_keys,
                     [&](uint64_t load) { return FingerprintBlockFpr(geometry, load); });
}

double FingerprintPromotedShare(const Geometry& geometry, uint64_t num_keys) noexcept {
  if (geometry.encoding == Encoding::kDense) return DenseLoadOf(geometry, num_keys).cut_blocks;
  return MeanOfBlock(geometry, num_keys,
                     [&](uint64_t load) { return FingerprintPromotedChance(geometry, load); });
}

double FingerprintSideTableBytes(const Geometry& geometry, uint64_t num_keys) noexcept {
  return geometry.encoding == Encoding::kFingerprints16 ? WideSideTableBytes(geometry, num_keys)
                                                        : DenseSideTableBytes(geometry, num_keys);
}

}  // namespace trommel
