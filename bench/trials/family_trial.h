// Our filter types beside CountingFilter: the same keys, the same rate in all, the same rounds, one
// thread. How to read the outcome: README.md.
#ifndef TROMMEL_BENCH_TRIALS_FAMILY_TRIAL_H_
#define TROMMEL_BENCH_TRIALS_FAMILY_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/sides/contenders.h"
#include "bench/text/figures.h"

namespace trommel::bench {

// Memory and rate of a side that holds the keys.
struct FamilyMemory {
  std::string side;
  double bits_per_key = 0;
  double measured_fpr = 0;
  double predicted_fpr = 0;
};

struct FamilyOutcome {
  FamilyRequest request;
  std::string wrong;           // the first wrong answer; empty: there was none
  std::vector<TrialRow> rows;  // ns per key: kAllOps
  std::vector<FamilyMemory> memory;
};

// Columns: the sides in the order of FamilySide; each side but the first over the first.
std::vector<std::string> FamilyColumns();
std::vector<RatioColumn> FamilyRatios();

FamilyOutcome RunFamilyTrial(const FamilyRequest& request, uint64_t rounds);

std::string FormatFamilyMemory(const FamilyOutcome& outcome);

// The targets of queries of a window, as multiples of CountingFilter's time: one line each, met or
// not.
std::string JudgeFamily(const FamilyOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_FAMILY_TRIAL_H_
