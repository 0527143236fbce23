// PlanAttributes: weights from the mix, and sizes of filters.
#include "trommel/attribute_plan.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "engine/src/attributes/plan_filters.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/tuples/projection_capacity.h"

namespace trommel {
namespace {

// Of sets by cuts, every query up to so many attributes has the same share where no mix is given.
constexpr uint32_t kMostToEnumerate = 16;

Error Unplannable(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::optional<Error> CheckPlan(const AttributePlanRequest& request) {
  if (request.capacity == 0 || request.capacity > kMaxCapacity) {
    return OutOfRange("capacity", request.capacity, uint64_t{1}, kMaxCapacity);
  }
  if (request.max_capacity != 0 &&
      (request.max_capacity < request.capacity || request.max_capacity > kMaxCapacity)) {
    return OutOfRange("max_capacity", request.max_capacity, request.capacity, kMaxCapacity);
  }
  const uint32_t num_attributes = request.sets.num_attributes();
  if (!request.num_values.empty() && request.num_values.size() != num_attributes) {
    return Unplannable("num_values has " + std::to_string(request.num_values.size()) +
                       " numbers; it must have none or one for each of the " +
                       std::to_string(num_attributes) + " attributes");
  }
  for (size_t i = 0; i < request.num_values.size(); ++i) {
    if (request.num_values[i] > 0) continue;
    return Unplannable("num_values of attribute " + std::to_string(i) +
                       " is 0; it must be at least 1");
  }
  double sum = 0;
  for (const QueryShare& share : request.mix) {
    if (share.set == 0) return Unplannable("a share of the mix asks for no attribute");
    if ((share.set & ~request.sets.full()) != 0) {
      return Unplannable("a share of the mix asks for " + AttributeMaskText(share.set) +
                         "; there are " + std::to_string(num_attributes) + " attributes");
    }
    // Written so that NaN fails.
    if (!(share.share > 0 && std::isfinite(share.share))) {
      return Unplannable("the share of " + AttributeMaskText(share.set) + " is " +
                         TextOf(share.share) + "; it must be above 0, and finite");
    }
    sum += share.share;
  }
  if (!std::isfinite(sum)) return Unplannable("the shares of the mix add up to infinity");
  const bool has_rate = request.target_fpr != 0;  // NaN is one
  if (has_rate == (request.memory_bytes != 0)) {
    return Unplannable(has_rate ? "target_fpr and memory_bytes are both given: it must be one"
                                : "give target_fpr or memory_bytes");
  }
  return std::nullopt;
}

// The u_S of the header, in the order of allowed().
std::vector<double> WeightsOf(const AttributePlanRequest& request) {
  const AttributeSets& sets = request.sets;
  std::vector<double> weights(sets.allowed().size(), 0);
  double sum = 0;
  const auto add = [&](AttributeMask asked, double share) {
    const std::vector<AttributeMask> parts = sets.PartsOf(asked);
    for (const AttributeMask part : parts) {
      weights[sets.IndexOf(part)] += share / static_cast<double>(parts.size());
    }
    sum += share;
  };
  for (const QueryShare& share : request.mix) add(share.set, share.share);
  if (request.mix.empty() && sets.is_by_cuts() && sets.num_attributes() <= kMostToEnumerate) {
    for (AttributeMask asked = 1; asked <= sets.full(); ++asked) add(asked, 1);
  } else if (request.mix.empty()) {
    for (const AttributeMask set : sets.allowed()) add(set, 1);
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::vector<SetBudget> AttributePlan::budgets() const {
  std::vector<SetBudget> budgets;
  budgets.reserve(sets.size());
  for (const PlannedSet& set : sets) {
    budgets.push_back({.set = set.set, .capacity = set.capacity, .target_fpr = set.target_fpr});
  }
  return budgets;
}

Result<AttributePlan> PlanAttributes(const AttributePlanRequest& request) {
  if (auto error = CheckPlan(request)) return *error;
  const AttributeSets& sets = request.sets;
  AttributePlan plan;
  const std::vector<double> weights = WeightsOf(request);
  for (size_t i = 0; i < weights.size(); ++i) {
    const AttributeMask set = sets.allowed()[i];
    plan.sets.push_back(
        {.set = set,
         .weight = weights[i],
         .capacity = ProjectionCapacity(set, sets, request.capacity, request.num_values)});
  }
  const TupleNumbers tuples{.capacity = request.capacity, .max_capacity = request.max_capacity};
  const Status planned = request.memory_bytes == 0
                             ? PlanFiltersOfRate(request.target_fpr, tuples, plan.sets)
                             : PlanFiltersInMemory(request.memory_bytes, tuples, plan.sets);
  if (!planned.ok()) return planned.error();
  for (const PlannedSet& set : plan.sets) {
    plan.num_bytes += set.num_bytes;
    plan.expected_fpr += set.weight * set.predicted_fpr;
  }
  return plan;
}

}  // namespace trommel
