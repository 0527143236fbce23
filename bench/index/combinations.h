// Whether filters of combinations of two attributes, beside those of single ones, would save
// regions: what they could save at best, and the memory that they would take.
#ifndef TROMMEL_BENCH_INDEX_COMBINATIONS_H_
#define TROMMEL_BENCH_INDEX_COMBINATIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/index/exact_map.h"
#include "bench/index/query_lists.h"
#include "bench/index/table_input.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::bench {

// Means per query.
struct CombinationRegions {
  double by_directory = 0;  // asked after intersecting the directory's answers
  double by_map = 0;        // the same without false regions: each value is in the region
  double with_both = 0;     // some row of the region has both: what a perfect filter would name
};

struct CombinationBytes {
  uint64_t num_attribute_pairs = 0;
  uint64_t num_combinations = 0;  // of two values in a region, each once
  uint64_t num_bytes = 0;         // of filters for them at the rate
};

// The regions of each query. Requires that the conditions have values that are in the table.
CombinationRegions CountRegions(std::span<const Conditions> queries, const IndexedTable& table,
                                const index::RegionTable& regions, const ExactMap& map,
                                const index::ServerIndex& directory);

// A filter per region and pair of indexed attributes, of the size of SizeFor.
Result<CombinationBytes> SizeCombinations(const IndexedTable& table,
                                          const index::RegionTable& regions, double target_fpr);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_COMBINATIONS_H_
