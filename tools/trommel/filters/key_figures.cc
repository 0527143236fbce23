// Figures of a filter's distinct keys, type by type.
#include "tools/trommel/filters/key_figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <variant>

#include "trommel/estimates.h"

namespace trommel::tool {
namespace {

// e^x - 1 - x without cancellation.
double ExpAbove(double x) { return x < 1e-3 ? x * x / 2 * (1 + x / 3) : std::expm1(x) - x; }

DistinctKeys DistinctWithin(double value, double error, uint64_t num_keys) {
  const auto rounded = [num_keys](double keys) {
    const double least = std::clamp(keys, 0.0, static_cast<double>(num_keys));
    return static_cast<uint64_t>(std::llround(least));
  };
  const bool may_all_differ = static_cast<double>(num_keys) <= value + error;
  return {.value = may_all_differ ? num_keys : rounded(value), .at_least = rounded(value - error)};
}

// Tables that share their keys: linear counting with several.
struct Tables {
  double places;        // of a table, one of which a key takes
  double num_tables;    // k
  double block_places;  // m: the keys of so many places are in all tables the same
};

// The estimate -N ln(1 - fill), and V of estimates.h.
DistinctKeys DistinctOf(const Tables& tables, double fill, uint64_t num_keys) {
  if (num_keys == 0 || fill <= 0) return {};
  if (fill >= 1) return {.value = num_keys, .at_least = 0};  // any larger number fits as well
  const double load = -std::log1p(-fill);
  const double value = tables.places * load;
  const double shared = (tables.num_tables - 1) / tables.num_tables;
  const double variance =
      tables.places / tables.num_tables * ExpAbove(load) +
      shared * tables.places * tables.block_places * ExpAbove(load / tables.block_places);
  return DistinctWithin(value, 2 * std::sqrt(variance), num_keys);
}

}  // namespace

DistinctKeys DistinctFromFill(const Geometry& geometry, const BlockFill& fill, uint64_t num_keys) {
  const auto num_blocks = static_cast<double>(geometry.num_blocks);
  if (HasFingerprints(geometry.encoding)) {
    // One table, of the values of a fingerprint: the share that is present is the rate.
    const double values = std::exp2(geometry.fingerprint_bits);
    return DistinctOf({num_blocks * values, 1, values}, fill.current_fpr, num_keys);
  }
  const double positions = geometry.slice_positions();
  return DistinctOf({num_blocks * positions, static_cast<double>(geometry.num_slices), positions},
                    fill.fill_ratio, num_keys);
}

KeyFigures FiguresOf(const CountingFilter& filter, const BlockFill& fill) {
  const Geometry& geometry = filter.geometry();
  KeyFigures figures{
      .num_keys = filter.num_keys(), .distinct = {}, .current_fpr = fill.current_fpr};
  const Estimate estimate = EstimateDistinctKeys(filter);
  figures.distinct =
      DistinctWithin(estimate.value, estimate.high - estimate.value, figures.num_keys);
  figures.predicted_fpr = PredictedFpr(geometry, figures.distinct.value);
  figures.least_fpr = PredictedFpr(geometry, figures.distinct.at_least);
  return figures;
}

KeyFigures FiguresOf(const ScalableFilter& filter, const ScalableFill& fill) {
  const ScalableStats stats = filter.GetStats();
  uint64_t num_distinct = stats.doubling.num_entries;
  for (const GenerationStats& generation : stats.generations) num_distinct += generation.load;
  num_distinct = std::min(num_distinct, stats.num_keys);
  return {.num_keys = stats.num_keys,
          .distinct = {.value = num_distinct, .at_least = num_distinct},
          .current_fpr = fill.current_fpr,
          .predicted_fpr = stats.predicted_fpr,
          .least_fpr = stats.predicted_fpr};
}

KeyFigures FiguresOf(const WindowFilter& filter, const BlockFill& fill) {
  KeyFigures figures{
      .num_keys = filter.num_keys(), .distinct = {}, .current_fpr = fill.current_fpr};
  figures.distinct = DistinctFromFill(filter.geometry(), fill, figures.num_keys);
  figures.predicted_fpr = filter.PredictedFpr(figures.distinct.value);
  figures.least_fpr = filter.PredictedFpr(figures.distinct.at_least);
  return figures;
}

KeyFigures FiguresOf(const AnyFilter& filter) {
  return std::visit(
      [](const auto& one) -> KeyFigures {
        using Filter = std::remove_cvref_t<decltype(one)>;
        if constexpr (std::is_same_v<Filter, AttributeFilter>) {
          return {.num_keys = one.num_tuples(), .distinct = {}};
        } else {
          return FiguresOf(one, one.MeasureFill());
        }
      },
      filter);
}

}  // namespace trommel::tool
