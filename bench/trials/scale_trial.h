// What a key costs as filters of one encoding become larger: filters of several sizes, each filled
// to its capacity, measured in the same rounds. How to read the outcome: README.md.
#ifndef TROMMEL_BENCH_TRIALS_SCALE_TRIAL_H_
#define TROMMEL_BENCH_TRIALS_SCALE_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/text/figures.h"
#include "trommel/sizing.h"

namespace trommel::bench {

struct ScaleRequest {
  std::vector<uint64_t> sizes;  // in keys; the others are compared with the first
  Encoding encoding = Encoding::kRuns;
  double target_fpr = 0.0061;
  uint32_t run_slices = 5;  // of runs
  uint32_t num_threads = 1;
  uint64_t rounds = 9;
  double seconds_per_ceiling = 0.1;
};

// A filter when the first insertions were measured, and what filling it took.
struct ScaleFilter {
  uint64_t num_keys = 0;
  double fill_ns = 0;  // per key
  double bits_per_key = 0;
  double side_table_bytes = 0;
  double promoted_share = 0;
  double huge_page_share = 0;  // of the bytes of blocks
  double measured_fpr = 0;
  double predicted_fpr = 0;
};

// Rows: insert, query hit, query miss, erase, in batches of 65,536; then a random line read and a
// random line updated in as much memory as the blocks take, in the first round that counts alone.
// ns per key or line: thread CPU time of one thread, wall time of several.
inline constexpr size_t kNumScaleOps = 4;

struct ScaleOutcome {
  ScaleRequest request;
  std::vector<ScaleFilter> filters;  // in the order of sizes
  std::vector<TrialRow> rows;        // a side per size
};

// Takes the memory of all filters, and 100 MB. Ends the program if an answer is wrong (each member
// is queried), or when sizing or memory fails.
ScaleOutcome RunScaleTrial(const ScaleRequest& request);

// The tables of an outcome, and each larger size beside the first: met or not.
std::string FormatScale(const ScaleOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_SCALE_TRIAL_H_
