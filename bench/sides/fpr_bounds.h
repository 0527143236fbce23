// How far chance may move a measured false-positive rate from the predicted one. Two things vary:
// which non-members are queried (binomial), and which keys the filter holds (its own rate is a
// random number whose mean is the prediction).
#ifndef TROMMEL_BENCH_SIDES_FPR_BOUNDS_H_
#define TROMMEL_BENCH_SIDES_FPR_BOUNDS_H_

#include <cstdint>

#include "trommel/sizing.h"

namespace trommel::bench {

inline constexpr double kMaxSigmas = 6;  // exceeded by chance once in a few hundred million

// The standard deviation of the share of `num_queries` non-members that answer "maybe present".
double BinomialSigma(double fpr, uint64_t num_queries);

// The standard deviation of a block filter's measured rate: both parts. A block's rate, given its i
// keys, is the product of its slices' fills, and the mean over num_blocks blocks varies by
//   Var = (sum_i P(i) E[fill^2 | i]^k  -  fpr^2) / num_blocks.
// With fingerprints the rate is the number of different keys by that of blocks, which varies less
// than a Poisson number does.
double BlockFprSigma(const Geometry& geometry, uint64_t num_keys, uint64_t num_queries);

// The same for a textbook filter of num_counters counters, whose fill varies at most as that of
// independent counters; and of it the part that is the filter's own, however many are queried.
double TextbookOwnSigma(uint64_t num_counters, uint32_t num_hashes, uint64_t num_keys);
double TextbookFprSigma(uint64_t num_counters, uint32_t num_hashes, uint64_t num_keys,
                        uint64_t num_queries);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_FPR_BOUNDS_H_
