/// @file
/// Sizing of block filters: from a number of keys and a false-positive rate to a geometry, and
/// back.
///
/// All functions are pure arithmetic on the exact model of the layout and allocate no filter.
///
/// *Model.* A filter has num_blocks blocks, and each key falls into one of them, so a block holds
/// i ~ Binomial(num_keys, 1 / num_blocks) keys (Poisson in the limit of many blocks). Each key sets
/// one of m positions in each of k slices, so a non-member finds all of its k bits set with
/// probability
/// @code{.unparsed}
///   predicted_fpr = sum_i P(i) (1 - (1 - 1/m)^i)^k            m = 32 or 64
/// @endcode
/// This is Parquet's split-block formula with a binomial load. For blocks the textbook's (1 -
/// e^(-kn/m))^k is too low. The prediction includes two effects of 64-bit digests that do not show
/// in filters of ordinary size:
/// - A non-member that shares its low 32 digest bits with a key of its block finds all bits of that
///   key set. This adds i / 2^32, where the positions have more combinations than that.
/// - Blocks own whole numbers of the 2^32 high digest halves. From about 2^27 blocks on, some own
///   noticeably more than others and are fuller.
///
/// A block of fingerprints has no slices. Of its i keys one has the value v of a non-member with
/// probability
/// @code{.unparsed}
///   predicted_fpr = sum_i P(i) sum_v p_v (1 - (1 - p_v)^i)
///   p_v = 2^-fingerprint_bits; with slots of 16 bits twice that for low bytes 0x01 and 0xfe;
///   in dense blocks 1 / num_values()
/// @endcode
/// and promoted blocks answer as exactly as others. The block comes from all 64 digest bits, so
/// blocks are even at every size.
///
/// *Undecided.* Queries that run beside writers do not read the side table, where a full block of
/// fingerprints keeps what it cannot show. Such a query answers "maybe present", too, when the key
/// could be there: with slots of 16 bits, when its block has keys in the side table alone; with
/// dense blocks, when its bin is cut and a key of the block found no place in overflow lines, which
/// is rare because lines become more. Further copies of a key never are the reason. That
/// share of the non-members, the *undecided share*, comes on top of the rate
/// (PredictedUndecidedShare). Sizing keeps the sum of both within the target. So a filter meets its
/// target as a CountingFilter and beside writers, and has one geometry for both.
///
/// *Memory* is that of the blocks and of the side table, which holds the counts of blocks that are
/// too full for their encoding. With Encoding::kPlanes such blocks are so rare that the rate alone
/// determines the number of blocks. With Encoding::kRuns they are the blocks of more than a fixed
/// number of keys, and sizing limits their share as well; with fingerprints, the blocks of more
/// than 32 keys (slots of 16 bits), or than slots (dense blocks).
#ifndef TROMMEL_SIZING_H_
#define TROMMEL_SIZING_H_

#include <cstdint>
#include <string_view>

#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel {

/// What the blocks of a filter hold: presence bits with counts behind them, stored in one of two
/// ways with the same answers, or fingerprints with counts. The layouts are drawn in
/// ARCHITECTURE.md, Layouts of blocks.
enum class Encoding : uint8_t {
  /// The count minus one, bit-sliced over three planes: 4 bits per position, with the presence bits
  /// stored apart.
  kPlanes = 0,
  /// Runs in unary beside the presence bits, about 1.6 to 2 bits per position in all: half the
  /// memory of planes, one or two cache lines per block.
  kRuns = 1,
  /// One fingerprint of 16 bits per key, in one of 32 slots of a cache line, instead of presence
  /// bits: about 25 bits per key at 0.033 % (beside writers 0.039 %), with the fastest updates.
  kFingerprints16 = 2,
  /// One fingerprint of 8 to 21 bits and a bin per key, in one of 51 to 20 slots of a cache line
  /// that is nearly full, with overflow lines near it: the least memory at any rate, alone and
  /// beside writers. 11.8 bits per key at 0.36 %, 12.5 at 0.22 %, 14.0 at 0.1 %, 19.0 at 0.01 %,
  /// 24.1 at 0.001 %.
  kDense = 3,
  /// Of a SizingRequest or a CountingConfig: the encoding that its Preference chooses; of an
  /// AttributeConfig and a ScalableConfig what these say. No geometry has it.
  kAutomatic = 255,
};

/// What Encoding::kAutomatic prefers. The choice is a pure function of the request, the same on
/// every machine. It is made among the encodings that can meet the request: with num_slices 8 those
/// are planes and runs, with another number runs.
enum class Preference : uint8_t {
  /// The fewest predicted bytes at capacity, side table included.
  kMemory = 0,
  /// kFingerprints16 if its bits per key are at most twice the fewest of any encoding; else
  /// kDense under the same condition; else kRuns, or without those what kMemory chooses. Dense
  /// blocks, chosen or asked for, are then less full: fewer are cut, updates are faster.
  kSpeed = 1,
  /// Planes, runs or dense blocks, whose answers stay usable past capacity: the one with the fewest
  /// predicted bytes, side table included, when it holds twice the capacity. Beside writers slots
  /// of 16 bits past capacity answer "maybe present" at the undecided share
  /// (PredictedUndecidedShare), measured after keys had been replaced, where the others, sized for
  /// 0.3 %, have these rates:
  /// @code{.unparsed}
  ///   times the capacity   kFingerprints16   kRuns    kDense
  ///   1.25                           4.2 %   0.7 %    0.28 %
  ///   1.9                           80 %     3.0 %    0.42 %
  /// @endcode
  kHeadroom = 2,
  /// Parquet's blocks: runs of 8 slices and a power of two of blocks. num_slices must be 0 or 8.
  /// Their presence bits are those of Parquet's filter where the digests are Parquet's, too:
  /// DigestKind::kXxh64 with seed 0, which is not the default.
  kParquet = 3,
};

/// Returns "memory", "speed", "headroom" or "parquet".
TROMMEL_API std::string_view PreferenceName(Preference preference) noexcept;

/// Returns whether blocks of this encoding hold fingerprints instead of presence bits.
constexpr bool HasFingerprints(Encoding encoding) noexcept {
  return encoding == Encoding::kFingerprints16 || encoding == Encoding::kDense;
}

/// Returns "planes", "runs", "fingerprints16", "dense" or "automatic".
TROMMEL_API std::string_view EncodingName(Encoding encoding) noexcept;

/// Where a key sets bits, and which; with fingerprints, in which block its fingerprint is, and of
/// which length. Planes and runs of one digest policy that are equal in all but the encoding have
/// the same presence bits for the same keys.
struct TROMMEL_API Geometry {
  /// Slices of a block. The number determines their length:
  /// @code{.unparsed}
  ///   8    32 positions (Parquet's shape)                               planes, runs
  ///   4    64 positions, up to 63 keys per block: for rates from 1.5 %  runs
  ///   5    64 positions, up to 37 keys per block                        runs
  ///   10   64 positions, up to 37 keys per block of two cache lines:    runs
  ///        for rates below 0.04 %
  /// @endcode
  /// Blocks of fingerprints have none: 0.
  uint32_t num_slices = 8;
  Encoding encoding = Encoding::kPlanes;  ///< What blocks hold.
  /// The top shard_bits bits of a digest are its shard. num_blocks is a multiple of 2^shard_bits.
  uint32_t shard_bits = 0;
  uint64_t num_blocks = 0;  ///< 1 to kMaxBlocks.
  /// Of fingerprints the bits of a key within its block, 16 (down to 8) with slots of 16 bits; of
  /// dense blocks those beside its bin, 8 to 21 by slots (down to 1). Each doubling of the filter
  /// takes one. 0 without fingerprints.
  uint32_t fingerprint_bits = 0;
  /// Slots of a dense block; else 0. The number determines bins and the most bits:
  /// @code{.unparsed}
  ///   slots         51    48     43     40     38     35      32       26        22        20
  ///   bins          51    78     80     70     54     55      62       68        70        64
  ///   bits           8     8      9     10     11     12      13       16        19        21
  ///   rate, full   .36   .22   .097   .050   .030   .014   .0057   .00053  .000050  .000012 %
  /// @endcode
  uint32_t slots = 0;

  /// Returns the positions of one slice: 32 or 64. Without a meaning for fingerprints.
  constexpr uint32_t slice_positions() const noexcept { return num_slices == 8 ? 32 : 64; }
  /// Returns the positions of all blocks; 0 for fingerprints.
  constexpr uint64_t num_positions() const noexcept {
    return num_blocks * num_slices * slice_positions();
  }
  /// Returns the bytes of the presence bits; 0 for fingerprints.
  constexpr uint64_t presence_bytes() const noexcept { return num_positions() / 8; }
  /// Returns the bytes of blocks and overflow lines, without the side table.
  constexpr uint64_t num_bytes() const noexcept {
    if (encoding == Encoding::kPlanes) return presence_bytes() * 4;
    if (encoding == Encoding::kDense) {  // and an overflow line for 16 blocks of a range, at least
      const uint32_t range_bits = shard_bits < 10 ? shard_bits : 10;
      return (num_blocks + ((((num_blocks >> range_bits) + 15) / 16) << range_bits)) * 64;
    }
    if (encoding == Encoding::kFingerprints16) {  // and an overflow line for 64 blocks
      return (num_blocks + (num_blocks + 63) / 64) * 64;
    }
    return num_blocks * (num_slices > 8 ? 128 : 64);
  }
  /// Returns the values that a key within its block can have; 0 without fingerprints.
  constexpr uint64_t num_values() const noexcept {
    if (!HasFingerprints(encoding)) return 0;
    return (encoding == Encoding::kDense ? bins() : 1) << fingerprint_bits;
  }
  /// Returns the most bits of a key beside its bin in dense blocks; else 0.
  constexpr uint32_t max_dense_bits() const noexcept {
    return slots == 0 ? 0 : slots == 20 ? 21 : 460 / slots - 1;
  }
  /// Returns the bins of a dense block, whose 512 bits are a remainder and one bit for each slot,
  /// one for each bin, and two (with 20 slots six are left); else 0.
  constexpr uint64_t bins() const noexcept {
    return slots == 0 ? 0 : slots == 20 ? 64 : 510 - slots * (max_dense_bits() + 1);
  }
  /// Returns the bytes of the counts, without the side table; for fingerprints num_bytes().
  constexpr uint64_t count_bytes() const noexcept { return num_bytes() - presence_bytes(); }
  /// Returns the bytes over which queries spread; updates spread over num_bytes().
  constexpr uint64_t query_bytes() const noexcept {
    return encoding == Encoding::kPlanes ? presence_bytes() : num_bytes();
  }

  /// Memberwise equality.
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// Most blocks of a filter: more would leave too few digest bits to choose a block evenly.
inline constexpr uint64_t kMaxBlocks = (uint64_t{1} << 31) - 1;
/// Returns the largest share of promoted blocks that sizing accepts with runs and fingerprints:
/// keys of promoted blocks are slower. With slots of 16 bits it is what overflow lines have space
/// for (21 keys per block, where the share is 0.9 %, leave 10 times the space that is used). Of
/// dense blocks, which are made to be cut, the memory per key is the least near 0.3; and at 0.16,
/// which Preference::kSpeed asks for, 4 % more.
constexpr double MaxPromotedShare(Encoding encoding,
                                  Preference preference = Preference::kMemory) noexcept {
  if (encoding == Encoding::kDense) return preference == Preference::kSpeed ? 0.16 : 0.3;
  return encoding == Encoding::kFingerprints16 ? 0.01 : 0.03;
}
/// Most distinct keys that a filter can be sized for.
inline constexpr uint64_t kMaxCapacity = uint64_t{1} << 40;
/// Lowest false-positive rate that a filter can be sized for.
inline constexpr double kMinTargetFpr = 1e-6;
/// Highest false-positive rate that a filter can be sized for.
inline constexpr double kMaxTargetFpr = 0.5;

/// Returns the shard_bits that sizing chooses for about `num_blocks` blocks: 0 for small filters,
/// at most 10.
TROMMEL_API uint32_t ShardBitsFor(uint64_t num_blocks) noexcept;

/// Checks a geometry. Fails with kInvalidArgument unless num_slices, slots and fingerprint_bits are
/// of the encoding's, and num_blocks is in range and a multiple of 2^shard_bits. With shards of
/// kFingerprints16 it is a multiple of 64 x 2^shard_bits: so many blocks share an overflow line.
TROMMEL_API Status Validate(const Geometry& geometry);

/// What SizeFor is to size.
struct SizingRequest {
  uint64_t capacity = 0;     ///< Distinct keys to hold; 1 to kMaxCapacity.
  double target_fpr = 0.01;  ///< kMinTargetFpr to kMaxTargetFpr.
  /// One of the encoding's, or 0: the one that needs the fewest bytes, side table included (on a
  /// near tie the one with smaller blocks). 0 never chooses 8 slices of runs, because others need
  /// less. Fingerprints have no slices: 0.
  uint32_t num_slices = 0;
  Encoding encoding = Encoding::kRuns;  ///< What blocks hold, or kAutomatic.
  /// Round num_blocks up to a power of two: for repeated folding, and for Parquet's blocks with
  /// num_slices = 8.
  bool power_of_two_blocks = false;
  /// Of Encoding::kAutomatic; of kDense, kSpeed; else not used.
  Preference preference = Preference::kMemory;
};

/// What SizeFor found.
struct Sizing {
  Geometry geometry;         ///< The geometry; never of Encoding::kAutomatic.
  uint64_t capacity = 0;     ///< As requested.
  double target_fpr = 0;     ///< As requested.
  double predicted_fpr = 0;  ///< At capacity; never above target_fpr.
  /// At capacity, of queries beside writers (PredictedUndecidedShare). The sum with predicted_fpr
  /// is never above target_fpr.
  double predicted_undecided_share = 0;
  double predicted_promoted_share = 0;      ///< Of blocks, at capacity, if all keys are distinct.
  uint64_t predicted_side_table_bytes = 0;  ///< At capacity, if all keys are distinct.
  double bits_per_key = 0;  ///< Of geometry.num_bytes() and predicted_side_table_bytes.
};

/// Returns the smallest geometry of the requested kind that keeps predicted_fpr +
/// predicted_undecided_share <= target_fpr at capacity and, with runs and fingerprints, promotes at
/// most MaxPromotedShare of the blocks. It does not depend on whether queries will run beside
/// writers, so that files of both kinds of filters merge.
///
/// At high rates the share of promoted blocks is what limits runs and fingerprints, and their rate
/// is then lower than requested. Fingerprints have their full length, so at rates below what that
/// gives to full blocks (0.03 % with slots of 16 bits, 0.014 % with dense blocks), memory grows
/// with 1 / target_fpr. num_blocks is rounded up to whole shards of at least 1,024 blocks: less
/// than 0.1 % more, with fingerprints less than 1.6 %. Above 2^29 blocks of planes or runs, where
/// blocks own unequal shares of the digests, a slightly smaller geometry may exist.
///
/// Fails with kInvalidArgument for a capacity of zero or above kMaxCapacity, a rate that is NaN or
/// out of range, a number of slices that the encoding does not have, and when more than kMaxBlocks
/// would be needed; with kAutomatic, when no encoding of the preference meets the request. Thread
/// safety: any thread. Cost: microseconds to a few milliseconds.
TROMMEL_API Result<Sizing> SizeFor(const SizingRequest& request);

/// Returns the probability that a non-member is answered "maybe present" when the filter holds
/// `num_keys` distinct keys. Requires a valid geometry, which is not checked. Thread safety: any
/// thread.
TROMMEL_API double PredictedFpr(const Geometry& geometry, uint64_t num_keys) noexcept;

/// Returns the share of non-members that queries beside writers answer "maybe present" on top of
/// PredictedFpr when the filter holds `num_keys` distinct keys, because they do not read the side
/// table (*Undecided*, above). 0 with planes and runs. The share is that of a filter whose keys
/// have been replaced several times. With slots of 16 bits it is an upper bound: filters have less
/// of it, the more so the fewer keys they have. With dense blocks it is a bound at capacity; past
/// it single filters had up to 0.5 %, and beyond twice the capacity it does not hold
/// (ARCHITECTURE.md, Sizing: model and measured figures). Requires a valid geometry, which is not
/// checked. Thread safety: any thread. Cost: up to about 0.2 ms.
TROMMEL_API double PredictedUndecidedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

/// Returns the share of blocks whose counts (with fingerprints: whose keys) do not fit their
/// encoding when the filter holds `num_keys` distinct keys. Requires a valid geometry, which is not
/// checked. Thread safety: any thread.
TROMMEL_API double PredictedPromotedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

/// Returns the expected bytes of the side table for these blocks. Requires a valid geometry, which
/// is not checked. Thread safety: any thread.
TROMMEL_API uint64_t PredictedSideTableBytes(const Geometry& geometry, uint64_t num_keys) noexcept;

/// Returns the most distinct keys for which PredictedFpr + PredictedUndecidedShare stays at or
/// below `target_fpr` and, with runs and fingerprints, PredictedPromotedShare at or below
/// MaxPromotedShare. With planes and runs at least 1: the rate of one key is below kMinTargetFpr,
/// and it promotes nothing. A few blocks of fingerprints may hold none: one key gives one block a
/// rate of 2^-fingerprint_bits.
/// Fails with kInvalidArgument for an invalid geometry or rate. Thread safety: any thread.
TROMMEL_API Result<uint64_t> CapacityFor(const Geometry& geometry, double target_fpr);

}  // namespace trommel

#endif  // TROMMEL_SIZING_H_
