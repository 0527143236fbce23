#include "bench/index/query_trial.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "trommel/index/cluster.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"

namespace trommel::bench {
namespace {

// With fewer expected, any few would agree.
constexpr double kLeastExpected = 5;

double Microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

bool HaveSameKeys(const std::vector<index::Row>& a, const std::vector<index::Row>& b) {
  return std::ranges::equal(a, b, {}, &index::Row::key, &index::Row::key);
}

// False regions expected of a value that no row has, by attribute.
Figures PredictionsOf(const index::Cluster& table) {
  Figures predictions;
  for (const index::AttributeStats& each : table.GetStats().directory.attributes) {
    predictions.push_back(each.predicted_false_regions);
  }
  return predictions;
}

}  // namespace

void WayFigures::Add(const index::QueryOutcome& outcome) {
  const index::QueryPlan& plan = outcome.plan;
  ++num_queries;
  num_regions_asked += plan.num_candidates;
  num_regions_with_rows += plan.num_regions_with_rows;
  const uint64_t num_false = plan.num_candidates - plan.num_regions_with_rows;
  sum_false_squares += num_false * num_false;
  num_servers_asked += plan.num_servers_asked;
  num_servers_with_rows += plan.num_servers_with_rows;
  num_rows_read += plan.num_rows_read;
  num_rows_returned += outcome.rows.size();
  num_entries_read += plan.num_entries_read;
  num_lookups += plan.num_lookups;
  directory_us.push_back(Microseconds(plan.directory_time));
  total_us.push_back(Microseconds(plan.total_time));
}

Result<KindFigures> RunQueries(const IndexSides& sides, QueryKind kind,
                               std::span<const Conditions> queries, double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const Figures by_filters = PredictionsOf(sides.server_filters());
  const Figures by_column_map = PredictionsOf(sides.column_map());
  KindFigures figures{.kind = kind, .num_drawn = queries.size(), .ways = {}};
  for (size_t q = 0; q < queries.size(); ++q) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) break;
    const Conditions& query = queries[q];
    const Result<index::QueryOutcome> first = sides.Ask(Way::kExactMap, query);
    if (!first) return first.error();
    for (size_t turn = 0; turn < kNumWays; ++turn) {
      const size_t way = (q + turn) % kNumWays;
      const Result<index::QueryOutcome> found = sides.Ask(static_cast<Way>(way), query);
      if (!found) return found.error();
      if (!found->unanswered.empty()) return found->unanswered[0].reason;
      if (!HaveSameKeys(found->rows, first->rows)) {
        return Error{ErrorCode::kMismatch,
                     "attribute " + std::to_string(query[0].attribute) + ", value '" +
                         query[0].value + "': " + NameOf(static_cast<Way>(way)) + " returns " +
                         std::to_string(found->rows.size()) + " rows, the exact map " +
                         std::to_string(first->rows.size()) + ", or other ones"};
      }
      figures.ways[way].Add(*found);
    }
    if (kind != QueryKind::kAbsent) continue;
    const uint32_t attribute = query[0].attribute;
    const auto way_of = [&figures](Way way) -> WayFigures& {
      return figures.ways[static_cast<size_t>(way)];
    };
    way_of(Way::kServerFilters).predicted_false_regions += by_filters[attribute];
    way_of(Way::kColumnMap).predicted_false_regions += by_column_map[attribute];
  }
  return figures;
}

Agreement CompareWithModel(const WayFigures& figures, double least_group) {
  const double expected = figures.predicted_false_regions;
  if (expected < kLeastExpected * least_group) return Agreement::kNotCompared;
  const auto found = static_cast<double>(figures.num_regions_asked - figures.num_regions_with_rows);
  const double measured_group =
      found == 0 ? 0 : static_cast<double>(figures.sum_false_squares) / found;
  const double deviation = std::sqrt(expected * std::max(least_group, measured_group));
  return std::abs(found - expected) <= 4 * deviation ? Agreement::kAgrees : Agreement::kDiffers;
}

double Quantile(Figures figures, double share) {
  if (figures.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = share * static_cast<double>(figures.size() - 1);
  const auto nth = figures.begin() + static_cast<std::ptrdiff_t>(std::lround(place));
  std::ranges::nth_element(figures, nth);
  return *nth;
}

}  // namespace trommel::bench
