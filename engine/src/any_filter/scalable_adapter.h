// ScalableFilter as AnyFilter.
#ifndef TROMMEL_ENGINE_SRC_ANY_FILTER_SCALABLE_ADAPTER_H_
#define TROMMEL_ENGINE_SRC_ANY_FILTER_SCALABLE_ADAPTER_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/src/any_filter/adapter.h"
#include "engine/src/any_filter/description.h"
#include "engine/src/any_filter/shared_figures.h"
#include "trommel/scalable_filter.h"

namespace trommel {

// Returns the entries less the copies in blocks that have slots of their own.
// Its rates are 1 - (1 - 2^-P)^n, with n the entries in blocks and the values, and what is
// undecided.
inline uint64_t DistinctKeysIn(const ScalableStats& stats, double fpr_of_entries,
                               double fpr_of_values) {
  const double of_entries = std::log1p(stats.undecided_share - fpr_of_entries);
  const double of_values = std::log1p(stats.undecided_share - fpr_of_values);
  if (!(of_entries < of_values && of_values < 0)) return stats.num_entries;
  const double in_blocks = stats.load * static_cast<double>(stats.num_blocks);
  return stats.num_entries -
         static_cast<uint64_t>(std::llround(in_blocks * (1 - of_values / of_entries)));
}

class ScalableAdapter final : public LastingAdapter<ScalableFilter> {
 public:
  static constexpr FilterType kType = FilterType::kScalable;
  using Config = ScalableConfig;
  using LastingAdapter::LastingAdapter;

  static void Read(Description& given, Config& config) {
    given.Take("first_capacity", config.first_capacity).Take("max_capacity", config.max_capacity);
  }

  FilterType type() const noexcept override { return kType; }

  Figures GetFigures(bool measured) const override {
    const ScalableStats stats = filter_.GetStats();
    Figures figures = {{"num_keys", stats.num_keys}, {"target_fpr", filter_.target_fpr()}};
    if (measured) {
      figures.emplace_back("capacity", filter_.largest_capacity());
      const double current_fpr = filter_.MeasureFill().current_fpr;
      const uint64_t num_distinct =
          std::min(DistinctKeysIn(stats, stats.predicted_fpr, current_fpr), stats.num_keys);
      AddMeasured(
          {num_distinct, num_distinct}, current_fpr, [&](uint64_t) { return current_fpr; },
          figures);
    } else {
      figures.emplace_back("predicted_fpr", stats.predicted_fpr);
    }
    figures.insert(figures.end(), {{"num_bytes", stats.num_bytes},
                                   {"num_refused_erases", stats.num_refused_erases},
                                   {"num_refused_inserts", stats.num_refused_inserts},
                                   {"first_capacity", filter_.first_capacity()}});
    if (measured) figures.emplace_back("next_step_bytes", filter_.NextBytes());
    figures.insert(figures.end(), {{"num_blocks", stats.num_blocks},
                                   {"load", stats.load},
                                   {"num_entries", stats.num_entries},
                                   {"num_small_parts", stats.num_small_parts},
                                   {"most_doublings", stats.most_doublings},
                                   {"least_doublings", stats.least_doublings},
                                   {"num_refused_steps", stats.num_refused_steps},
                                   {"side_table_bytes", stats.side_table_bytes},
                                   {"undecided_share", stats.undecided_share},
                                   {"num_interrupted_queries", stats.num_interrupted_queries}});
    return figures;
  }
  GrowthForecast ForecastAt(uint64_t num_keys) const override {
    return filter_.ForecastAt(num_keys);
  }

  Result<InsertOutcome> InsertIfAbsent(Keys keys, Bits inserted, Bits refused,
                                       Bits times) override {
    if (!refused.empty()) return Unsupported("do not say which absent keys were refused");
    std::ranges::fill(times, 0);
    return filter_.InsertIfAbsent(keys, inserted);
  }
  Result<AnyFilterPtr> Clone() const override {
    return Adapted<ScalableAdapter>(filter_.Clone(), may_refuse_);
  }
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ANY_FILTER_SCALABLE_ADAPTER_H_
