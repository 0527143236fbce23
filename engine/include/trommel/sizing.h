// Sizing: from keys and a target false-positive rate to a geometry, and back. Pure arithmetic on
// the exact model of the layout; nothing is allocated.
//
// The model. A filter has num_blocks blocks; a key falls into one of them, so a block holds
// i ~ Binomial(num_keys, 1 / num_blocks) keys (the Poisson law is its limit for many blocks). Each
// key marks one of 32 positions in each of k slices, so a stranger meets k set bits with
//
//   predicted_fpr = sum_i P(i) (1 - (1 - 1/32)^i)^k
//
// (Parquet's split-block formula with a binomial load). The textbook (1 - e^(-kn/m))^k is lower and
// wrong for blocks. Two effects of 64-bit digests are part of the prediction, both invisible in
// filters of ordinary size: a stranger that shares its low 32 bits with a key of its block meets
// all of that key's bits (adds i / 2^32), and blocks own whole numbers of the 2^32 high halves
// (from about 2^27 blocks on, some own noticeably more than others and are fuller).
#ifndef TROMMEL_SIZING_H_
#define TROMMEL_SIZING_H_

#include <cstdint>
#include <string_view>

#include "trommel/result.h"

namespace trommel {

// How the counts behind the presence bits are stored. See kernels/layout.h for the pictures.
enum class Encoding : uint8_t {
  kPlanes = 0,  // the count minus one, bit-sliced in three planes: 4 bits a position
};

std::string_view EncodingName(Encoding encoding) noexcept;  // "planes"

// Where a key's bits are. Two filters with the same geometry and digest policy have the same bits
// for the same keys.
struct Geometry {
  uint32_t num_slices = 8;  // 8 or 16 slices of 32 positions make a block
  Encoding encoding = Encoding::kPlanes;
  uint32_t shard_bits =
      0;  // num_blocks is a multiple of 2^shard_bits; a digest's top bits are its shard
  uint64_t num_blocks = 0;  // 1 .. kMaxBlocks

  uint64_t num_positions() const noexcept { return num_blocks * num_slices * 32; }
  uint64_t presence_bytes() const noexcept { return num_blocks * num_slices * 4; }
  uint64_t count_bytes() const noexcept { return presence_bytes() * 3; }
  uint64_t num_bytes() const noexcept { return presence_bytes() + count_bytes(); }

  friend bool operator==(const Geometry&, const Geometry&) = default;
};

// More blocks than 2^31 - 1 would leave too few digest bits to choose a block evenly.
inline constexpr uint64_t kMaxBlocks = (uint64_t{1} << 31) - 1;
// Keys a filter may be sized for, and rates it may be asked for.
inline constexpr uint64_t kMaxCapacity = uint64_t{1} << 40;
inline constexpr double kMinTargetFpr = 1e-6;
inline constexpr double kMaxTargetFpr = 0.5;

// The shard_bits that sizing gives to about this many blocks: 0 for small filters, at most 10.
uint32_t ShardBitsFor(uint64_t num_blocks) noexcept;

// An error unless num_slices is 8 or 16, num_blocks is in range and a multiple of 2^shard_bits.
Status Validate(const Geometry& geometry);

struct SizingRequest {
  uint64_t capacity = 0;     // distinct keys to hold; 1 .. kMaxCapacity
  double target_fpr = 0.01;  // kMinTargetFpr .. kMaxTargetFpr
  uint32_t num_slices = 0;   // 8, 16, or 0: whichever needs fewer bytes (8 on a near tie)
  Encoding encoding = Encoding::kPlanes;
  bool power_of_two_blocks = false;  // round num_blocks up to a power of two (Parquet; many folds)
};

struct Sizing {
  Geometry geometry;
  uint64_t capacity = 0;
  double target_fpr = 0;
  double predicted_fpr = 0;             // at capacity; never above target_fpr
  double predicted_promoted_share = 0;  // of blocks, at capacity, when all keys are distinct
  double bits_per_key = 0;  // geometry.num_bytes() * 8 / capacity, without the side table
};

// The smallest geometry of the requested kind that keeps predicted_fpr <= target_fpr at capacity,
// its num_blocks rounded up to whole shards of at least 1024 blocks (under 0.1 % more). Above 2^29
// blocks, where shares of blocks are uneven, a slightly smaller one may exist.
// Fails with kInvalidArgument for zero or too large a capacity, for a rate that is NaN or out of
// range, for other slice counts, and when more than kMaxBlocks would be needed. Any thread;
// microseconds to a few milliseconds.
Result<Sizing> SizeFor(const SizingRequest& request);

// The chance that a key never inserted answers "maybe present" when num_keys distinct keys are in.
// The geometry must be valid. Any thread.
double PredictedFpr(const Geometry& geometry, uint64_t num_keys) noexcept;

// The share of blocks whose counters no longer fit their encoding when num_keys distinct keys are
// in. The geometry must be valid. Any thread.
double PredictedPromotedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

// The other direction: the most distinct keys for which PredictedFpr stays at or under target_fpr.
// At least 1: one key's rate is far below kMinTargetFpr. Fails with kInvalidArgument for an invalid
// geometry or rate. Any thread.
Result<uint64_t> CapacityFor(const Geometry& geometry, double target_fpr);

}  // namespace trommel

#endif  // TROMMEL_SIZING_H_
