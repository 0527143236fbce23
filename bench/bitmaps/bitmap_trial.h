// An exact index of Roaring bitmaps and an AttributeFilter over the same rows, for the same
// queries: memory, time and wrong answers. How to read the outcome: README.md.
#ifndef TROMMEL_BENCH_BITMAPS_BITMAP_TRIAL_H_
#define TROMMEL_BENCH_BITMAPS_BITMAP_TRIAL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bitmaps/value_table.h"
#include "bench/text/figures.h"

namespace trommel::bench {

struct BitmapTrialRequest {
  size_t num_queries = 0;  // of each kind
  uint64_t rounds = 1;
  double target_fpr = 0.01;  // of each set of the filter
  uint64_t seed = 1;
};

struct BitmapTrialOutcome {
  std::string wrong;  // the first wrong answer; empty: there was none
  size_t num_sets = 0;
  uint64_t bitmap_bytes = 0;  // compact
  uint64_t filter_bytes = 0;
  std::vector<TrialRow> queries;  // ns per query, of each BitmapQuerySide
  std::vector<TrialRow> updates;  // ns per row, of {bitmaps, filter}
  // Of the filter, with the number of queries of a kind; the bitmaps have none.
  struct FalsePositives {
    std::string label;
    size_t num_queries = 0;
    size_t num_maybe = 0;
  };
  std::vector<FalsePositives> false_positives;
};

// An index of bitmaps answers one query after the other; the filter also takes batches.
enum BitmapQuerySide : uint8_t { kBitmapSide, kFilterOneSide, kFilterBatchSide };
inline const std::vector<std::string> kBitmapQuerySides = {"bitmaps", "filter, one",
                                                           "filter, batch"};
inline const std::vector<RatioColumn> kBitmapQueryRatios = {
    {"bitmaps / one", kBitmapSide, kFilterOneSide},
    {"bitmaps / batch", kBitmapSide, kFilterBatchSide}};
inline const std::vector<std::string> kBitmapUpdateSides = {"bitmaps", "filter"};
inline const std::vector<RatioColumn> kBitmapUpdateRatios = {{"bitmaps / filter", 0, 1}};

// Requires from 1 to 16 attributes and at least one row.
BitmapTrialOutcome RunBitmapTrial(const ValueTable& table, const BitmapTrialRequest& request);

std::string FormatBitmapTrial(const ValueTable& table, const BitmapTrialOutcome& outcome);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_BITMAPS_BITMAP_TRIAL_H_
