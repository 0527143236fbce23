// QueryPlans: which filters answer a query for some attributes, and in which order; computed for
// the first such query, and kept.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_QUERY_PLANS_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_QUERY_PLANS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/src/tuples/per_set_cache.h"
#include "trommel/attribute_sets.h"

namespace trommel {

class QueryPlans {
 public:
  // target_fprs[i] is the rate of the set sets.allowed()[i]. The sets must outlive the plans.
  QueryPlans(const AttributeSets& sets, std::vector<double> target_fprs)
      : sets_(sets), target_fprs_(std::move(target_fprs)), plans_(sets.num_attributes()) {}

  // The parts of the set as indices of sets.allowed(), most selective first: the lowest rate, then
  // most attributes, then ascending. `asked` must lie within sets.full(). Any thread, without a
  // lock but for the first time.
  std::span<const uint32_t> Of(AttributeMask asked) const {
    return plans_.For(asked, [&] {
      Plan made;
      for (const AttributeMask part : sets_.PartsOf(asked)) {
        made.push_back(static_cast<uint32_t>(sets_.IndexOf(part)));
      }
      std::ranges::sort(made, {}, [this](uint32_t set_idx) {
        const AttributeMask set = sets_.allowed()[set_idx];
        return std::tuple(target_fprs_[set_idx], -std::popcount(set), set);
      });
      return made;
    });
  }

 private:
  using Plan = std::vector<uint32_t>;

  const AttributeSets& sets_;
  std::vector<double> target_fprs_;
  PerSetCache<Plan> plans_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_QUERY_PLANS_H_
