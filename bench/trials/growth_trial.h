// Filters that grow beside one that was sized in advance: what insertions cost from empty to full,
// steps of growth included, what queries cost at any size, and memory on the way. How to read the
// outcome: README.md.
#ifndef TROMMEL_BENCH_TRIALS_GROWTH_TRIAL_H_
#define TROMMEL_BENCH_TRIALS_GROWTH_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/text/figures.h"

namespace trommel::bench {

enum GrowthSide : uint8_t {
  kSizedSide,     // a CountingFilter of fingerprints of 16 bits
  kSharedSide,    // a ConcurrentFilter of the same shape
  kDoublingSide,  // a ScalableFilter, from its least size
  kNumGrowthSides
};

// A filter that doubles, beside the blocks of a CountingFilter of fingerprints sized for its keys.
struct GrowthMemory {
  double least_ratio = 0;       // where its blocks are fullest
  double largest_ratio = 0;     // just after they have become more
  double mean_ratio = 0;        // over sizes 2^(1/16) apart, from 10^6 keys on
  double most_small_bytes = 0;  // bytes per key from 1,000 to 10^6 keys, at most
};

struct GrowthOutcome {
  uint64_t num_keys = 0;
  std::string wrong;           // the first wrong answer; empty: there was none
  std::vector<TrialRow> rows;  // ns per key: fill, query hit, query miss, erase
  GrowthMemory memory;
};

std::vector<std::string> GrowthColumns();
std::vector<RatioColumn> GrowthRatios();

GrowthOutcome RunGrowthTrial(uint64_t num_keys, uint64_t rounds);

// The targets of a filter that doubles: one line each, met or not.
std::string JudgeGrowth(const GrowthOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_GROWTH_TRIAL_H_
