// Sizing of classic filters: from keys and a rate to a geometry. Pure arithmetic.
#ifndef TROMMEL_CLASSIC_SIZING_H_
#define TROMMEL_CLASSIC_SIZING_H_

#include <cstdint>

#include "trommel/classic/geometry.h"
#include "trommel/result.h"

namespace trommel::classic {

// Rates that a classic filter may be asked for; capacities go to trommel::kMaxCapacity.
inline constexpr double kMinTargetFpr = 1e-15;
inline constexpr double kMaxTargetFpr = 0.5;

struct SizingRequest {
  Kind kind = Kind::kSplitCounting;
  uint64_t capacity = 0;      // distinct keys; 1 .. trommel::kMaxCapacity
  double target_fpr = 0.01;   // kMinTargetFpr .. kMaxTargetFpr
  uint32_t num_hashes = 0;    // 0: the published ceil(log2(1 / target_fpr))
  uint32_t counter_bits = 4;  // kBloom takes 1, whatever this says
  Hashing hashing = Hashing::kDouble;
};

struct Sizing {
  ArrayGeometry geometry;
  uint64_t capacity = 0;
  double target_fpr = 0;
  double predicted_fpr = 0;    // at capacity; never above target_fpr
  double predicted_fill = 0;   // share of positions present, at capacity
  double predicted_stuck = 0;  // share of counters at their maximum or beyond; 0 for kBloom
  double predicted_lossy = 0;  // share of counters that lose an increment; 0 for kBloom
  double bits_per_key = 0;
};

// The fewest positions that keep PredictedFpr at or under target_fpr at capacity. Fails with
// kInvalidArgument for anything out of its range, and when a slice or array would need more than
// kMaxPositions. Any thread; microseconds.
Result<Sizing> SizeFor(const SizingRequest& request);

// The chance that a non-member answers "maybe present" when num_keys distinct keys are in: SplitFpr
// or BloomFprSecondOrder (formulas.h), the model of independent hashes. The geometry must be valid.
double PredictedFpr(const ArrayGeometry& geometry, uint64_t num_keys) noexcept;

// The same for queries that probe only the first num_probes hashes, num_probes <= num_hashes.
double PredictedFpr(const ArrayGeometry& geometry, uint64_t num_keys, uint32_t num_probes) noexcept;

// The fewest probes, first hashes first, whose predicted rate at num_keys distinct keys is at or
// under target_fpr; all of them where none is. At least 1.
uint32_t PredictedProbes(const ArrayGeometry& geometry, uint64_t num_keys,
                         double target_fpr) noexcept;

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_SIZING_H_
