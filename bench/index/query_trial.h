// Queries answered in four ways from the same rows, one after the other.
#ifndef TROMMEL_BENCH_INDEX_QUERY_TRIAL_H_
#define TROMMEL_BENCH_INDEX_QUERY_TRIAL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/index/index_sides.h"
#include "bench/index/query_lists.h"
#include "bench/text/figures.h"
#include "trommel/index/query.h"
#include "trommel/result.h"

namespace trommel::bench {

// Sums over the queries of a list that one way answered.
struct WayFigures {
  uint64_t num_queries = 0;
  uint64_t num_regions_asked = 0;
  uint64_t num_regions_with_rows = 0;
  uint64_t num_servers_asked = 0;
  uint64_t num_servers_with_rows = 0;
  uint64_t num_rows_read = 0;
  uint64_t num_rows_returned = 0;
  uint64_t num_entries_read = 0;
  uint64_t num_lookups = 0;
  uint64_t sum_false_squares = 0;      // of the false regions of each query
  double predicted_false_regions = 0;  // by the model; for values that no row has
  Figures directory_us;                // one per query
  Figures total_us;

  void Add(const index::QueryOutcome& outcome);

  // Regions and servers asked that had no row, per query.
  double FalseRegions() const { return PerQuery(num_regions_asked - num_regions_with_rows); }
  double ServersWithoutRecord() const {
    return PerQuery(num_servers_asked - num_servers_with_rows);
  }
  double PerQuery(uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(num_queries);
  }
  double RowsReadPerRow() const {  // NaN if no row was returned
    return static_cast<double>(num_rows_read) / static_cast<double>(num_rows_returned);
  }
};

struct KindFigures {
  QueryKind kind = QueryKind::kByWeight;
  size_t num_drawn = 0;  // more than were asked, if the time was over before
  std::array<WayFigures, kNumWays> ways;
};

// Asks each query once unmeasured, then each way in turn, and stops after `seconds`. Fails with
// kMismatch if two ways return different rows, and as the queries do.
Result<KindFigures> RunQueries(const IndexSides& sides, QueryKind kind,
                               std::span<const Conditions> queries, double seconds);

enum class Agreement : uint8_t { kNotCompared, kAgrees, kDiffers };

// Compares the false regions of values that no row has with the model's. They come in groups: those
// of a server together (kServerFilters), and those whose columns have values in common, since a
// value sets the same bits in each column. So the variance of their sum is its expectation times
// the size of a group, as measured, at least `least_group`. Within 4 standard deviations they
// agree; too few that are expected are not compared.
Agreement CompareWithModel(const WayFigures& figures, double least_group);

// The share-th smallest figure: 0.5 is the median.
double Quantile(Figures figures, double share);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_QUERY_TRIAL_H_
