// Fingerprint blocks beside their models: what filling them past their capacity, replacing their
// keys and doubling them does to the false-positive rate, to promoted blocks and to what queries
// beside writers cannot decide. How to read the outcome: engine/docs/FINGERPRINTS.md.
#ifndef TROMMEL_BENCH_TRIALS_FINGERPRINT_TRIAL_H_
#define TROMMEL_BENCH_TRIALS_FINGERPRINT_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "trommel/sizing.h"

namespace trommel::bench {

// A model's figure and what a filter had.
struct Compared {
  double predicted = 0;
  double measured = 0;
};

// A filter that holds `times` its capacity. Shares are of blocks (promoted) or of non-members.
struct LoadRow {
  double times = 0;
  double keys_per_block = 0;
  Compared fpr;  // of queries that look into the side table
  double fpr_sigma = 0;
  Compared promoted;
  Compared undecided;  // predicted and measured after all keys were replaced kReplacements times
  double fresh_undecided = 0;  // measured before
};

inline constexpr int kReplacements = 4;

struct LoadOutcome {
  std::string wrong;  // the first wrong answer; empty: there was none
  Geometry geometry;
  std::vector<LoadRow> rows;
};

// Requires an encoding of fingerprints.
LoadOutcome RunLoadTrial(Encoding encoding, uint64_t num_keys, uint64_t num_queries);

// Filters that hold 2^doublings times the keys of their first size.
struct DoublingRow {
  uint32_t num_doublings = 0;
  uint64_t num_keys = 0;
  uint32_t fingerprint_bits = 0;
  Compared counting;  // CountingFilter::Grow: each doubling takes a bit from all fingerprints
  Compared scalable;  // ScalableFilter: as many bits of each digest at any size
};

struct DoublingOutcome {
  std::string wrong;
  std::vector<DoublingRow> rows;
};

// The first size is 176,128 keys, and the ScalableFilter is to keep 1 % at the last one. Requires
// at most 8 doublings, which leave 8 bits of 16.
DoublingOutcome RunDoublingTrial(uint32_t num_doublings, uint64_t num_queries);

std::string FormatLoads(const LoadOutcome& outcome);
std::string FormatDoublings(const DoublingOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_FINGERPRINT_TRIAL_H_
