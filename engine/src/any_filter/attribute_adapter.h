// AttributeFilter as AnyFilter: a file that holds tuples.
#ifndef TROMMEL_ENGINE_SRC_ANY_FILTER_ATTRIBUTE_ADAPTER_H_
#define TROMMEL_ENGINE_SRC_ANY_FILTER_ATTRIBUTE_ADAPTER_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/src/any_filter/adapter.h"
#include "trommel/attribute_filter.h"

namespace trommel {

class AttributeAdapter final : public Adapter<AttributeFilter> {
 public:
  static constexpr FilterType kType = FilterType::kAttributes;
  using Adapter::Adapter;

  FilterType type() const noexcept override { return kType; }
  uint64_t num_keys() const noexcept override { return filter_.num_tuples(); }
  bool takes_keys() const noexcept override { return false; }

  // Its current_fpr is that of the set with the highest one.
  Figures GetFigures(bool measured) const override {
    const AttributeStats stats = filter_.GetStats();
    Figures figures = {{"num_keys", stats.num_tuples},
                       {"num_bytes", stats.num_bytes},
                       {"num_refused_erases", stats.num_refused_erases},
                       {"num_refused_inserts", stats.num_refused_inserts}};
    if (!measured) return figures;
    double highest = 0;
    for (const ScalableFill& set : filter_.MeasureFill()) {
      highest = std::max(highest, set.current_fpr);
    }
    figures.emplace_back("current_fpr", highest);
    return figures;
  }
  std::pair<std::string_view, std::vector<Figures>> GetParts(bool) const override {
    std::vector<Figures> parts;
    for (const SetStats& set : filter_.GetStats().sets) {
      parts.push_back({{"set", set.set}, {"capacity", set.capacity}});
    }
    return {"sets", std::move(parts)};
  }
  Result<AnyFilterPtr> Clone() const override {
    return Adapted<AttributeAdapter>(filter_.Clone(), may_refuse_);
  }
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ANY_FILTER_ATTRIBUTE_ADAPTER_H_
