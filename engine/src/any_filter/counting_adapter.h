// CountingFilter and ConcurrentFilter as AnyFilter.
#ifndef TROMMEL_ENGINE_SRC_ANY_FILTER_COUNTING_ADAPTER_H_
#define TROMMEL_ENGINE_SRC_ANY_FILTER_COUNTING_ADAPTER_H_

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/any_filter/adapter.h"
#include "engine/src/any_filter/description.h"
#include "engine/src/any_filter/shared_figures.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/estimates.h"

namespace trommel {

template <class Type>
class CountingAdapter final : public LastingAdapter<Type> {
 public:
  static constexpr bool kIsConcurrent = std::same_as<Type, ConcurrentFilter>;
  static constexpr FilterType kType =
      kIsConcurrent ? FilterType::kConcurrent : FilterType::kCounting;
  using Config = CountingConfig;
  using Bits = AnyFilter::Bits;
  using LastingAdapter<Type>::LastingAdapter;

  static void Read(Description& given, Config& config) {
    given.Take("capacity", config.capacity)
        .Take("num_slices", config.num_slices)
        .Take("encoding", config.encoding)
        .Take("preference", config.preference)
        .Take("power_of_two_blocks", config.power_of_two_blocks);
  }

  FilterType type() const noexcept override { return kType; }

  Figures GetFigures(bool measured) const override {
    const Geometry& geometry = this->filter_.geometry();
    const Stats stats = this->filter_.GetStats();
    Figures figures = {{"num_keys", stats.num_keys},
                       {"capacity", this->filter_.capacity()},
                       {"target_fpr", this->filter_.target_fpr()}};
    if (measured) {
      const BlockFill fill = this->filter_.MeasureFill();
      AddMeasured(
          Distinct(stats.num_keys), fill.current_fpr,
          [&](uint64_t num_keys) { return PredictedFpr(geometry, num_keys); }, figures);
      figures.emplace_back("fill_ratio", fill.fill_ratio);
    } else {
      figures.emplace_back("predicted_fpr", stats.predicted_fpr);
    }
    figures.insert(figures.end(), {{"num_bytes", stats.num_bytes},
                                   {"num_refused_erases", stats.num_refused_erases},
                                   {"num_refused_inserts", stats.num_refused_inserts},
                                   {"encoding", std::string(EncodingName(geometry.encoding))},
                                   {"num_slices", geometry.num_slices},
                                   {"slots", geometry.slots}});
    AddBlocks(stats, geometry, figures);
    return figures;
  }
  GrowthForecast ForecastAt(uint64_t num_keys) const override {
    const Geometry& geometry = this->filter_.geometry();
    return {.predicted_fpr = PredictedFpr(geometry, num_keys), .num_bytes = geometry.num_bytes()};
  }

  Result<InsertOutcome> InsertIfAbsent(Keys keys, Bits inserted, Bits refused,
                                       Bits times) override {
    std::ranges::fill(times, 0);
    if (refused.empty() && !this->may_refuse_) {
      return InsertOutcome{.num_inserted = this->filter_.InsertIfAbsent(keys, inserted)};
    }
    std::vector<uint64_t> scratch(refused.empty() ? inserted.size() : 0);
    return this->filter_.InsertIfAbsent(keys, inserted, refused.empty() ? Bits(scratch) : refused);
  }

  Status Merge(const AnyFilter& other) override {
    const auto* counting = other.As<CountingFilter>();
    return counting == nullptr ? LastingAdapter<Type>::Merge(other)
                               : this->filter_.Merge(*counting);
  }
  Status Subtract(const AnyFilter& other) override {
    const auto* counting = other.As<CountingFilter>();
    if constexpr (kIsConcurrent) return AnyFilter::Subtract(other);
    if constexpr (!kIsConcurrent) {
      return counting == nullptr ? LastingAdapter<Type>::Merge(other)
                                 : this->filter_.Subtract(*counting);
    }
  }
  Status Fold() override {
    if constexpr (!kIsConcurrent) return this->filter_.Fold();
    return AnyFilter::Fold();
  }
  Status Grow() override {
    if constexpr (!kIsConcurrent) return this->filter_.Grow();
    return AnyFilter::Grow();
  }
  Result<AnyFilterPtr> Clone() const override {
    return Adapted<CountingAdapter>(this->filter_.Clone(), this->may_refuse_);
  }

 private:
  DistinctKeys Distinct(uint64_t num_keys) const {
    if constexpr (kIsConcurrent) return {.value = num_keys, .at_least = 0};
    if constexpr (!kIsConcurrent) {
      const Estimate estimate = EstimateDistinctKeys(this->filter_);
      return DistinctWithin(estimate.value, estimate.high - estimate.value, num_keys);
    }
  }
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ANY_FILTER_COUNTING_ADAPTER_H_
