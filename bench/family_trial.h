// The types of the family beside CountingFilter: the same keys, the same rate in all, the same
// rounds, one thread. How to read the outcome: README.md.
#ifndef TROMMEL_BENCH_FAMILY_TRIAL_H_
#define TROMMEL_BENCH_FAMILY_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/family_contenders.h"
#include "bench/trial_table.h"

namespace trommel::bench {

// What a side takes and answers when it holds the keys.
struct FamilyMemory {
  std::string side;
  double bits_per_key = 0;
  double measured_fpr = 0;
  double predicted_fpr = 0;
};

struct FamilyOutcome {
  FamilyRequest request;
  std::string wrong;           // the first wrong answer; empty: there was none
  std::vector<TrialRow> rows;  // ns a key: kAllOps
  std::vector<FamilyMemory> memory;
};

// Columns: the sides in the order of FamilySide; each side but the first over the first.
std::vector<std::string> FamilyColumns();
std::vector<RatioColumn> FamilyRatios();

FamilyOutcome RunFamilyTrial(const FamilyRequest& request, uint64_t rounds);

std::string FormatFamilyMemory(const FamilyOutcome& outcome);

// What queries of generations and of buckets were asked to take at most, as multiples of
// CountingFilter's: a line each, met or not.
std::string JudgeFamily(const FamilyOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_FAMILY_TRIAL_H_
