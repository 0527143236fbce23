// Sizing: from keys and a target false-positive rate to a geometry, and back. Pure arithmetic on
// the exact model of the layout; nothing is allocated.
//
// The model. A filter has num_blocks blocks; a key falls into one of them, so a block holds
// i ~ Binomial(num_keys, 1 / num_blocks) keys (the Poisson law is its limit for many blocks). Each
// key marks one of m positions in each of k slices, so a non-member meets k set bits with
//
//   predicted_fpr = sum_i P(i) (1 - (1 - 1/m)^i)^k            m = 32 or 64
//
// (Parquet's split-block formula with a binomial load). The textbook (1 - e^(-kn/m))^k is lower and
// wrong for blocks. Two effects of 64-bit digests are part of the prediction, both invisible in
// filters of ordinary size: a non-member that shares its low 32 bits with a key of its block meets
// all of that key's bits (adds i / 2^32, where positions have more combinations than that), and
// blocks own whole numbers of the 2^32 high halves (from about 2^27 blocks on, some own noticeably
// more than others and are fuller).
//
// Memory is the blocks' and the side table's, which holds the counts of blocks too full for their
// encoding. With planes these are so few that the rate alone says how many blocks it takes. With
// runs they are the blocks of more than a fixed number of keys, and sizing limits their share, too.
#ifndef TROMMEL_SIZING_H_
#define TROMMEL_SIZING_H_

#include <cstdint>
#include <string_view>

#include "trommel/result.h"

namespace trommel {

// How the counts behind the presence bits are stored. Answers are the same.
enum class Encoding : uint8_t {
  // The count minus one, bit-sliced in three planes: 4 bits a position, apart from the presence
  // bits. kernels/layout.h has the picture.
  kPlanes = 0,
  // Run strings beside the presence bits, about 1.6 to 2 bits a position in all: half the memory,
  // one or two cache lines a block. kernels/run_slice.h has the picture.
  kRuns = 1,
};

std::string_view EncodingName(Encoding encoding) noexcept;  // "planes", "runs"

// Where a key's bits are. Two filters with the same geometry and digest policy have the same bits
// for the same keys: presence bits do not depend on the encoding.
struct Geometry {
  // Slices of a block, which say how long they are:
  //   8    32 positions (Parquet's shape)                              planes, runs
  //   16   32 positions                                                planes
  //   4    64 positions, up to 63 keys a block: for rates of 1.5 % up  runs
  //   5    64 positions, up to 37 keys a block                         runs
  //   10   64 positions, up to 37 keys a block of two cache lines:     runs
  //        for rates under 0.04 %
  uint32_t num_slices = 8;
  Encoding encoding = Encoding::kPlanes;
  // num_blocks is a multiple of 2^shard_bits; a digest's top bits are its shard.
  uint32_t shard_bits = 0;
  uint64_t num_blocks = 0;  // 1 .. kMaxBlocks

  constexpr uint32_t slice_positions() const noexcept { return num_slices % 8 == 0 ? 32 : 64; }
  constexpr uint64_t num_positions() const noexcept {
    return num_blocks * num_slices * slice_positions();
  }
  constexpr uint64_t presence_bytes() const noexcept { return num_positions() / 8; }
  // Presence bits and counts, without the side table.
  constexpr uint64_t num_bytes() const noexcept {
    if (encoding == Encoding::kPlanes) return presence_bytes() * 4;
    return num_blocks * (num_slices > 8 ? 128 : 64);
  }
  constexpr uint64_t count_bytes() const noexcept { return num_bytes() - presence_bytes(); }
  // Queries read these bytes only; updates change all of num_bytes().
  constexpr uint64_t query_bytes() const noexcept {
    return encoding == Encoding::kPlanes ? presence_bytes() : num_bytes();
  }

  friend bool operator==(const Geometry&, const Geometry&) = default;
};

// More blocks than 2^31 - 1 would leave too few digest bits to choose a block evenly.
inline constexpr uint64_t kMaxBlocks = (uint64_t{1} << 31) - 1;
// Sizing promotes no more than this share of run blocks: their keys are slower.
inline constexpr double kMaxPromotedShare = 0.03;
// Keys a filter may be sized for, and rates it may be asked for.
inline constexpr uint64_t kMaxCapacity = uint64_t{1} << 40;
inline constexpr double kMinTargetFpr = 1e-6;
inline constexpr double kMaxTargetFpr = 0.5;

// The shard_bits that sizing gives to about this many blocks: 0 for small filters, at most 10.
uint32_t ShardBitsFor(uint64_t num_blocks) noexcept;

// An error unless num_slices is one of the encoding's, num_blocks is in range and a multiple of
// 2^shard_bits.
Status Validate(const Geometry& geometry);

struct SizingRequest {
  uint64_t capacity = 0;     // distinct keys to hold; 1 .. kMaxCapacity
  double target_fpr = 0.01;  // kMinTargetFpr .. kMaxTargetFpr
  // One of the encoding's, or 0: whichever needs the fewest bytes, side table included (on a near
  // tie the one whose blocks are smaller). 0 never chooses 8 slices of runs: others need less.
  uint32_t num_slices = 0;
  Encoding encoding = Encoding::kRuns;
  bool power_of_two_blocks = false;  // round num_blocks up to a power of two, for many
                                     // folds; for Parquet with num_slices = 8
};

struct Sizing {
  Geometry geometry;
  uint64_t capacity = 0;
  double target_fpr = 0;
  double predicted_fpr = 0;             // at capacity; never above target_fpr
  double predicted_promoted_share = 0;  // of blocks, at capacity, when all keys are distinct
  // What the side table is expected to take at capacity, when all keys are distinct.
  uint64_t predicted_side_table_bytes = 0;
  double bits_per_key = 0;  // of geometry.num_bytes() and predicted_side_table_bytes
};

// The smallest geometry of the requested kind that keeps predicted_fpr <= target_fpr at capacity
// and, with runs, promotes no more than kMaxPromotedShare of the blocks. (At high rates it is the
// second that limits runs: they get a lower rate than asked for.) num_blocks is rounded up to whole
// shards of at least 1024 blocks, under 0.1 % more. Above 2^29 blocks, where shares of blocks are
// uneven, a slightly smaller geometry may exist.
// Fails with kInvalidArgument for zero or too large a capacity, for a rate that is NaN or out of
// range, for slice counts that the encoding does not have, and when more than kMaxBlocks would be
// needed. Any thread; microseconds to a few milliseconds.
Result<Sizing> SizeFor(const SizingRequest& request);

// The chance that a key never inserted answers "maybe present" when num_keys distinct keys are in.
// The geometry must be valid. Any thread.
double PredictedFpr(const Geometry& geometry, uint64_t num_keys) noexcept;

// The same for queries that probe only the first num_probes slices: the model with that exponent.
// (The product of so many average fills is several times too low: a full block is full in all its
// slices.) num_probes must be between 1 and num_slices.
double PredictedFpr(const Geometry& geometry, uint64_t num_keys, uint32_t num_probes) noexcept;

// The fewest slices that queries must probe for PredictedFpr to be at or under target_fpr: few
// while the filter is empty, more as it fills, never fewer for more keys. num_slices where not even
// all are enough. The geometry must be valid. Any thread.
uint32_t ProbesFor(const Geometry& geometry, uint64_t num_keys, double target_fpr) noexcept;

// The share of blocks whose counters no longer fit their encoding when num_keys distinct keys are
// in. The geometry must be valid. Any thread.
double PredictedPromotedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

// The bytes that the side table is expected to take for these blocks. The geometry must be valid.
// Any thread.
uint64_t PredictedSideTableBytes(const Geometry& geometry, uint64_t num_keys) noexcept;

// The other direction: the most distinct keys for which PredictedFpr stays at or under target_fpr
// and, with runs, PredictedPromotedShare at or under kMaxPromotedShare. At least 1: one key's rate
// is below kMinTargetFpr, and it promotes nothing. Fails with kInvalidArgument for an invalid
// geometry or rate. Any thread.
Result<uint64_t> CapacityFor(const Geometry& geometry, double target_fpr);

}  // namespace trommel

#endif  // TROMMEL_SIZING_H_
