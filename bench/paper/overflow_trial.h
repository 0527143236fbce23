// How high counters go, by filling filters: the counting Bloom filter and the split one, with the
// same keys at the same load. And, for heights that no filter will ever show, by tilted sampling.
#ifndef TROMMEL_BENCH_PAPER_OVERFLOW_TRIAL_H_
#define TROMMEL_BENCH_PAPER_OVERFLOW_TRIAL_H_

#include <cstdint>
#include <vector>

#include "bench/paper/random_stream.h"
#include "trommel/classic/geometry.h"

namespace trommel::paper {

struct OverflowTrial {
  uint64_t num_filters = 0;
  uint64_t num_counters = 0;                        // of all filters
  std::vector<uint64_t> num_reaching = {};          // [j]: counters of at least j
  std::vector<uint64_t> num_filters_reaching = {};  // [j]: filters with such a counter

  double CounterShare(uint32_t count) const;
  double FilterShare(uint32_t count) const;
};

// Fills num_filters filters of this geometry (counters of 8 bits) with num_keys random keys each.
OverflowTrial RunOverflow(const classic::ArrayGeometry& geometry, uint64_t num_keys,
                          uint64_t num_filters, uint64_t seed);

struct TailEstimate {
  double chance = 0;
  double sigma = 0;  // of the estimate
};

// The chance that one counter is hit at least `count` times by num_thrown throws on num_positions.
// Importance sampling: throws are made to hit it with chance count / num_thrown, and every outcome
// counts with the ratio of its true chance to that. Nothing is approximated but by sampling.
TailEstimate EstimateTail(uint64_t num_thrown, uint64_t num_positions, uint32_t count,
                          uint64_t num_samples, RandomStream random);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_OVERFLOW_TRIAL_H_
