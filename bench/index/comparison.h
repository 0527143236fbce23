// All figures of index_compare, and their text.
#ifndef TROMMEL_BENCH_INDEX_COMPARISON_H_
#define TROMMEL_BENCH_INDEX_COMPARISON_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/index/query_lists.h"
#include "bench/index/query_trial.h"
#include "bench/index/write_trial.h"

namespace trommel::bench {

struct Comparison {
  std::string command;
  std::string table;
  uint64_t num_rows = 0;
  uint64_t num_attributes = 0;  // indexed
  uint64_t num_servers = 0;
  uint64_t num_regions = 0;
  uint64_t num_values = 0;  // distinct, of all indexed attributes
  uint64_t num_pairs = 0;   // of a value and a region that has it
  std::array<uint64_t, kNumWays> directory_bytes{};
  LoadFigures load;
  std::array<KindFigures, kNumQueryKinds> kinds;
  WriteFigures updates;
  WriteFigures deletes;
  // Of the local indexes of the table with column maps, after all writes.
  uint64_t num_pairs_verified = 0;
  uint64_t num_pairs_of_map = 0;  // at the same time
  CombinationRegions of_one_row;
  CombinationRegions of_two_rows;
  CombinationBytes combinations;
};

std::string ComparisonText(const Comparison& comparison);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_COMPARISON_H_
