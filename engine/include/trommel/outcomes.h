/// @file
/// Types that several filters share: answers and outcomes of batches, statistics.
#ifndef TROMMEL_OUTCOMES_H_
#define TROMMEL_OUTCOMES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trommel/export.h"

namespace trommel {

/// Returns how many 64-bit words a bitmap of `num_answers` answers has. The answer for key or tuple
/// i is bit i % 64 of word i / 64.
constexpr size_t BitmapWords(size_t num_answers) noexcept { return (num_answers + 63) / 64; }

/// The answer of a query for one key. "Absent" is certain.
enum class Answer : uint8_t {
  kAbsent,        ///< The key is not in the filter.
  kMaybePresent,  ///< The key is in the filter, or this is a false positive.
};

/// What a batch of erasures did.
struct EraseOutcome {
  uint64_t num_erased = 0;   ///< Keys that were erased.
  uint64_t num_refused = 0;  ///< Keys that were certainly absent: nothing changed for them.
  /// Where keys expire: those of a bucket that is not live, for it has expired or lies in the
  /// future.
  uint64_t num_expired = 0;

  /// Memberwise equality.
  friend bool operator==(const EraseOutcome&, const EraseOutcome&) = default;
};

/// Why a filter did not grow, or did not take a key.
enum class GrowthRefusal : uint8_t {
  kNone,             ///< It grew, or did not need to.
  kLargestCapacity,  ///< It has reached the largest size.
  kMemoryLimit,      ///< Growth would exceed memory_limit_bytes.
  kOutOfMemory,      ///< The system refused memory.
  /// The side memory (CountingConfig::side_memory_limit_bytes, or that of another type) has no
  /// space.
  kSideMemoryLimit,
};

/// Returns the reason as the end of a sentence: "it has reached its largest capacity". Empty for
/// kNone.
TROMMEL_API std::string_view GrowthRefusalText(GrowthRefusal refusal) noexcept;

/// What a batch of insertions did.
struct InsertOutcome {
  uint64_t num_inserted = 0;  ///< Keys that were inserted.
  /// Keys that the filter had no space for: nothing changed for them, and they must not be erased.
  /// In a ScalableFilter, keys that were not in and that it could not grow for, or that its side
  /// memory had no space for; in a CountingFilter, keys that its side memory had no space
  /// for: 0 without a limit of it.
  uint64_t num_refused = 0;
  GrowthRefusal refusal = GrowthRefusal::kNone;  ///< Why keys were refused, if any were.

  /// Memberwise equality.
  friend bool operator==(const InsertOutcome&, const InsertOutcome&) = default;
};

/// Statistics of one set of blocks that a filter keeps account of: GetStats returns them without a
/// pass over memory. What needs one is in BlockFill.
struct Stats {
  uint64_t num_keys = 0;  ///< Insertions less erasures; duplicates count.
  /// Blocks, overflow lines and side table; in a ConcurrentFilter of fingerprints also the versions
  /// of its groups.
  uint64_t num_bytes = 0;
  /// Part of num_bytes: what promoted blocks have no place for. With a limit, what it reserves.
  uint64_t side_table_bytes = 0;
  /// Blocks whose counts are in the side table or, with fingerprints, whose keys do not fit.
  uint64_t num_promoted = 0;
  uint64_t num_refused_erases = 0;  ///< Since creation, load or clear.
  /// The same of insertions, which a limit of side memory refuses.
  uint64_t num_refused_inserts = 0;
  /// PredictedFpr for num_keys distinct keys: the rate of queries that look into the side table, as
  /// a CountingFilter's do. Keys that are in more than once make it too high, not too low. The rate
  /// of a ConcurrentFilter's queries is the sum of this and undecided_share.
  double predicted_fpr = 0;
  /// With fingerprints: the share of non-members for which a query of a ConcurrentFilter answers
  /// "maybe present" now, because the side table alone could have them. It comes on top of
  /// predicted_fpr. (A CountingFilter looks there.)
  double undecided_share = 0;
  /// Queries that were answered "maybe present" because writers changed their 64 blocks at each of
  /// several attempts; since creation, load or clear.
  uint64_t num_interrupted_queries = 0;
};

/// What a pass over one set of blocks measures: MeasureFill returns it.
struct BlockFill {
  /// Fraction of positions that are present; with fingerprints, distinct keys per slot, which
  /// exceeds 1 where most blocks are promoted.
  double fill_ratio = 0;
  /// False-positive rate of the bits as they are, for a random non-member: the mean over blocks of
  /// the product of their slices' fills, whatever keys were inserted. It leaves out non-members
  /// whose low digest half equals that of a key of their block (load / 2^32), which
  /// Stats::predicted_fpr includes.
  double current_fpr = 0;
  uint64_t huge_page_bytes = 0;  ///< Presence bits and counts that are on huge pages now.
};

/// What the model says of a filter that holds a number of distinct keys.
struct GrowthForecast {
  double predicted_fpr = 0;  ///< Its rate, with what queries of fingerprints cannot decide.
  uint64_t num_bytes = 0;    ///< Its blocks, or digests; without the side table.
};

}  // namespace trommel

#endif  // TROMMEL_OUTCOMES_H_
