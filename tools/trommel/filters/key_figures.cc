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

// Of a window's blocks: the estimate -N ln(1 - p) of linear counting, for a table of all values
// that fingerprints have, of which the share p, the rate, is present; and V of estimates.h with k
// = 1.
DistinctKeys DistinctFromRate(const Geometry& geometry, double rate, uint64_t num_keys) {
  if (num_keys == 0 || rate <= 0) return {};
  if (rate >= 1) return {.value = num_keys, .at_least = 0};  // any larger number fits as well
  const double num_values =
      static_cast<double>(geometry.num_blocks) * std::exp2(geometry.fingerprint_bits);
  const double load = -std::log1p(-rate);
  const double variance = num_values * ExpAbove(load);
  return DistinctWithin(num_values * load, 2 * std::sqrt(variance), num_keys);
}

}  // namespace

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
  figures.distinct = DistinctFromRate(filter.geometry(), fill.current_fpr, figures.num_keys);
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
