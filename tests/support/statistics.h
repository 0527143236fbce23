// Statistical bounds: how far a measured rate may honestly be from the predicted one. Tests write
// CHECK(bound.Contains(measured)) and never a bare tolerance.
#ifndef TROMMEL_TESTS_SUPPORT_STATISTICS_H_
#define TROMMEL_TESTS_SUPPORT_STATISTICS_H_

#include <cstdint>
#include <iosfwd>

#include "trommel/sizing.h"

namespace trommel::tests {

// A rate, its standard deviation when measured, and how many of them a measurement may be off.
struct RateBound {
  double predicted = 0;
  double sigma = 0;
  double num_sigmas = 6;
  uint64_t num_trials = 0;

  // num_sigmas * sigma, and num_sigmas^2 / 6 trials more: with few expected hits the binomial has a
  // longer tail than the normal law, and Bernstein's inequality says by how much. At 6 sigma an
  // honest measurement falls outside with a chance under 2 e^-18 = 3e-8; there the extra is 6 hits.
  double margin() const;
  double low() const { return predicted - margin(); }
  double high() const { return predicted + margin(); }
  bool Contains(double measured) const { return low() <= measured && measured <= high(); }
  bool ContainsHits(uint64_t num_hits) const;  // of num_trials
};

// "0.01 +- 0.0006 (6 sigma, 1000000 trials)", for INFO and failure messages.
std::ostream& operator<<(std::ostream& out, const RateBound& bound);

// The share of successes in num_trials independent trials of one chance.
RateBound BinomialBound(double chance, uint64_t num_trials, double num_sigmas = 6);

// The share of "maybe present" among num_queries random non-members, asked of one filter that holds
// num_keys random distinct keys. Two things spread it:
//
//   sigma^2 = p (1 - p) / num_queries + FilterVariance        p = PredictedFpr
//
// The first is the sampling of non-members. The second is that filters differ: one filter's true
// rate is the mean over its blocks of the product of their slices' fills.
RateBound FprBound(const Geometry& geometry, uint64_t num_keys, uint64_t num_queries,
                   double num_sigmas = 6);

// The rate of one filter itself, measured on its bits (BlockFill::current_fpr): no non-members
// sampled. The low-half floor of the prediction is no part of such a rate, so it is left out here
// too.
RateBound FilterFprBound(const Geometry& geometry, uint64_t num_keys, double num_sigmas = 6);

// An upper bound of the variance, from filter to filter, of the mean of the block products: the
// variance of one block's product divided by num_blocks. It is an upper bound because keys that
// fall into one block are missing in the others: block loads of a multinomial law are negatively
// associated, the product rises with the load, so the covariances are not positive.
double FilterVariance(const Geometry& geometry, uint64_t num_keys);

// E[prod over slices of fill^power | load keys in the block], power 1 or 2, slices independent. The
// share e of empty positions among a slice's m has E[e] = ((m-1)/m)^load and, over pairs of
// positions, E[e^2] = ((m-1)/m)^load / m + (m-1)/m ((m-2)/m)^load; fill = 1 - e.
double BlockProductMoment(uint64_t load, uint32_t num_slices, int power);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_STATISTICS_H_
