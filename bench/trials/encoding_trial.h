// All encodings, and beside them the textbook counting Bloom filter and a plain split-block filter:
// sized for the same keys, all but fingerprints for the same rate, and measured in the same rounds.
// How to read the outcome: README.md.
#ifndef TROMMEL_BENCH_TRIALS_ENCODING_TRIAL_H_
#define TROMMEL_BENCH_TRIALS_ENCODING_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/text/figures.h"

namespace trommel::bench {

// What fingerprints are sized for: about 21 keys per block of 16-bit slots, and 44 of dense blocks
// of 48 slots.
inline constexpr double kTargetFpr16 = 0.0004;
inline constexpr double kTargetFprOfDense = 0.003;

struct EncodingRequest {
  uint64_t num_keys = 0;
  double target_fpr = 0;  // of all but fingerprints
  double target_fpr16 = kTargetFpr16;
  double target_fpr_of_dense = kTargetFprOfDense;
  uint32_t run_slices = 5;
  uint64_t rounds = 9;
  uint64_t num_non_members = 20'000'000;  // queried to measure the rate
  double seconds_per_ceiling = 0.05;
};

// Memory and rate of a side that holds all keys. NaN: does not apply.
//
// "Churned" is the filter that was measured: guests were inserted and erased again, and then every
// member was replaced by a substitute and returned. A promoted block of planes or runs returns to
// its encoding only some keys below the number that fits, so a churned filter has more of them.
struct EncodingMemory {
  std::string side;
  double num_bytes = 0;  // churned, side table included
  double side_table_bytes = 0;
  double bits_per_key = 0;  // of num_bytes
  double fresh_bits_per_key = 0;
  double predicted_bits_per_key = 0;  // of a fresh one
  double measured_fpr = 0;
  double fpr_sigma = 0;  // of the measurement: keys and non-members are random
  double predicted_fpr = 0;
  double promoted_share = 0;
  double fresh_promoted_share = 0;
  double predicted_promoted_share = 0;
};

// The columns of an outcome's rows, and the order of its memory. The ceiling is that of runs.
enum EncodingColumn : uint8_t {
  kPlanesColumn,
  kRunsColumn,
  kWideColumn,  // fingerprints of 16 bits
  kDenseColumn,
  kTextbookColumn,
  kSplitBlockColumn,
  kCeilingColumn,
};
inline const std::vector<std::string> kEncodingColumns = {
    "planes", "runs", "fp16", "dense", "textbook", "split-block", "ceiling"};
inline const std::vector<RatioColumn> kEncodingRatios = {
    {"runs / planes", kRunsColumn, kPlanesColumn},
    {"fp16 / runs", kWideColumn, kRunsColumn},
    {"dense / runs", kDenseColumn, kRunsColumn},
    {"fp16 / split-block", kWideColumn, kSplitBlockColumn},
    {"textbook / planes", kTextbookColumn, kPlanesColumn},
    {"textbook / runs", kTextbookColumn, kRunsColumn},
    {"planes / split-block", kPlanesColumn, kSplitBlockColumn},
    {"runs / split-block", kRunsColumn, kSplitBlockColumn},
    {"ceiling / runs", kCeilingColumn, kRunsColumn}};

// The first of an outcome's rows, in their order: behind them are those of one key per call, each
// with its Prefetch 16 calls before, and those of batches after churn.
enum EncodingRow : uint8_t {
  kInsertRow,
  kEraseRow,
  kQueryHitRow,
  kQueryMissRow,
  kInsertOneRow,  // one key per call
  kEraseOneRow,
  kHitOneRow,
  kMissOneRow,
};

struct EncodingOutcome {
  EncodingRequest request;
  std::string wrong;                   // the first wrong answer; empty: there was none
  std::vector<EncodingMemory> memory;  // of the columns before the ceiling
  std::vector<TrialRow> rows;          // ns per key
};

// Takes about as much memory as the six filters and 100 bytes for each of up to 4 M keys. Ends the
// program when sizing or memory fails.
EncodingOutcome RunEncodingTrial(const EncodingRequest& request);

// The memory of one outcome as text.
std::string FormatMemory(const EncodingOutcome& outcome);

struct TargetVerdict {
  std::string text;  // the target and the figure
  bool is_met = false;
};

// The targets beside what was measured; only with runs of 5 slices.
//
// Memory, side table included, churned; a measured rate misses its target only when it is above by
// more than 3 sigmas. Speed, by the medians of ratios taken in the same rounds: up to 1 M keys and
// from 10 M keys on. One key per call: up to 1 M keys.
std::vector<TargetVerdict> Judge(const EncodingOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_ENCODING_TRIAL_H_
