// Two files of benchmarks, row by row.
#ifndef TROMMEL_BENCH_SWEEP_RUN_COMPARE_H_
#define TROMMEL_BENCH_SWEEP_RUN_COMPARE_H_

#include <string>
#include <vector>

#include "bench/sweep/run_file.h"
#include "trommel/result.h"

namespace trommel::bench {

struct TimeRange {
  double median = 0, min = 0, max = 0;
};

struct ComparedRow {
  std::string name;
  // ns: a key where both files say that, else an iteration. Over the repetitions; where a file has
  // only aggregates, three times its median (or mean).
  TimeRange a, b;
  // b / a: of the medians, and the least and greatest that their repetitions allow.
  TimeRange ratio;
};

struct CardDifference {
  std::string field, a, b;  // empty: this file does not have it
};

struct Comparison {
  std::vector<ComparedRow> rows;  // in a's order
  std::vector<std::string> only_a, only_b;
  std::vector<CardDifference> card;
};

// Fails with kMismatch when no row is in both.
Result<Comparison> Compare(const RunFile& a, const RunFile& b);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_RUN_COMPARE_H_
