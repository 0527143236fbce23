// How far a measurement may honestly lie from an exact model. A rate outside its range is a mistake
// of the program, not bad luck: at six standard deviations the chance is under 1e-7.
#ifndef TROMMEL_BENCH_PAPER_RANGE_H_
#define TROMMEL_BENCH_PAPER_RANGE_H_

#include <cstdint>

namespace trommel::paper {

struct Range {
  double low = 0;
  double high = 0;
  bool Contains(double value) const { return low <= value && value <= high; }
};

// mean +- 6 sigma.
Range SigmaRange(double mean, double sigma);

// Of the share of successes among num_trials independent trials of one chance; `extra_sigma` is the
// standard deviation of the chance itself. Six trials more on each side: with few expected
// successes the binomial has a longer tail than the normal law (Bernstein's inequality).
Range BinomialRange(double chance, uint64_t num_trials, double extra_sigma = 0);

// Of the mean of num_trials counts that are each Poisson with this mean.
Range PoissonRange(double mean, uint64_t num_trials);

// Nothing but this value is allowed.
inline Range Exactly(double value) { return {value, value}; }

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_RANGE_H_
