/// @file
/// Sizing of the classic filters: from keys and a false-positive rate to a geometry. Pure
/// arithmetic.
#ifndef TROMMEL_CLASSIC_SIZING_H_
#define TROMMEL_CLASSIC_SIZING_H_

#include <cstdint>

#include "trommel/classic/geometry.h"
#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel::classic {

/// Lowest false-positive rate that a classic filter can be sized for. (The highest capacity is
/// trommel::kMaxCapacity.)
inline constexpr double kMinTargetFpr = 1e-15;
/// Highest false-positive rate that a classic filter can be sized for.
inline constexpr double kMaxTargetFpr = 0.5;

/// What SizeFor is to size.
struct SizingRequest {
  Kind kind = Kind::kSplitCounting;    ///< Which filter.
  uint64_t capacity = 0;               ///< Distinct keys; 1 to trommel::kMaxCapacity.
  double target_fpr = 0.01;            ///< kMinTargetFpr to kMaxTargetFpr.
  uint32_t num_hashes = 0;             ///< 0: the published ceil(log2(1 / target_fpr)).
  uint32_t counter_bits = 4;           ///< 1 to kMaxCounterBits; ignored for kBloom, which takes 1.
  Hashing hashing = Hashing::kDouble;  ///< How hashes become positions.
};

/// What SizeFor found.
struct Sizing {
  ArrayGeometry geometry;      ///< The geometry.
  uint64_t capacity = 0;       ///< As requested.
  double target_fpr = 0;       ///< As requested.
  double predicted_fpr = 0;    ///< At capacity; never above target_fpr.
  double predicted_fill = 0;   ///< Fraction of positions that are present, at capacity.
  double predicted_stuck = 0;  ///< Fraction of counters at their maximum or beyond; 0 for kBloom.
  double predicted_lossy = 0;  ///< Fraction of counters that lose an increment; 0 for kBloom.
  double bits_per_key = 0;     ///< Of the geometry, at capacity.
};

/// Returns the geometry with the fewest positions that keeps PredictedFpr at or below target_fpr at
/// capacity. Fails with kInvalidArgument for numbers out of range, and if a slice or array would
/// need more than kMaxPositions. Thread safety: any thread. Cost: microseconds.
TROMMEL_API Result<Sizing> SizeFor(const SizingRequest& request);

/// Returns the probability that a non-member is answered "maybe present" when the filter holds
/// `num_keys` distinct keys: SplitFpr or BloomFprSecondOrder (formulas.h), the models of
/// independent hashes. Requires a valid geometry, which is not checked.
TROMMEL_API double PredictedFpr(const ArrayGeometry& geometry, uint64_t num_keys) noexcept;

/// Returns the same for queries that probe only the first `num_probes` hashes, at most num_hashes.
TROMMEL_API double PredictedFpr(const ArrayGeometry& geometry, uint64_t num_keys,
                                uint32_t num_probes) noexcept;

/// Returns the fewest probes, first hashes first, whose predicted rate for `num_keys` distinct keys
/// is at or below `target_fpr`, or num_hashes if even all are not enough. At least 1.
TROMMEL_API uint32_t PredictedProbes(const ArrayGeometry& geometry, uint64_t num_keys,
                                     double target_fpr) noexcept;

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_SIZING_H_
