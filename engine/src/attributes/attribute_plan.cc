// PlanAttributes: weights from the mix, sizes of filters, and the matrix of the same memory.
#include "trommel/attribute_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "engine/src/attributes/plan_filters.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/tuples/projection_capacity.h"
#include "trommel/matrix/sizing.h"

namespace trommel {
namespace {

constexpr uint32_t kUsualHashes = 6;

Error Unplannable(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::optional<Error> CheckPlan(const AttributePlanRequest& request) {
  if (request.capacity == 0 || request.capacity > kMaxCapacity) {
    return OutOfRange("capacity", request.capacity, uint64_t{1}, kMaxCapacity);
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

// Whether there is a published matrix with such sets.
bool HasMatrix(const AttributeSets& sets) {
  return sets.is_by_cuts() && sets.num_attributes() <= matrix::kMaxMatrixAttributes;
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
  if (request.mix.empty() && HasMatrix(sets)) {
    for (AttributeMask asked = 1; asked <= sets.full(); ++asked) add(asked, 1);
  } else if (request.mix.empty()) {
    for (const AttributeMask set : sets.allowed()) add(set, 1);
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The rate of a block of so many cells, which need be neither whole nor countable.
double BlockFpr(double num_cells, uint32_t num_hashes, uint64_t num_projections) {
  if (num_cells <= 1) return 1;
  const double marks = static_cast<double>(num_projections) * num_hashes;
  return std::pow(-std::expm1(marks * std::log1p(-1 / num_cells)), num_hashes);
}

// As published: positions are alike for all attributes, and whole.
double MatrixBytesFor(double fpr, uint32_t num_hashes, const AttributeSets& sets,
                      const std::vector<PlannedSet>& planned) {
  const auto expected_at = [&](double positions) {
    double expected = 0;
    for (const PlannedSet& set : planned) {
      const double num_cells = std::pow(positions, std::popcount(set.set));
      expected += set.weight * BlockFpr(num_cells, num_hashes, set.capacity);
    }
    return expected;
  };
  double low = 0;
  double high = 1;
  while (expected_at(high) > fpr && high < 1e18) {
    low = high;
    high *= 2;
  }
  while (high - low > std::max(1.0, high * 1e-12)) {
    const double middle = std::floor((low + high) / 2);
    (expected_at(middle) > fpr ? low : high) = middle;
  }
  const std::vector<double> positions(sets.num_attributes(), high);
  return matrix::CbfmCells(sets, positions) / 8;
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
  const Status planned =
      request.memory_bytes == 0
          ? PlanFiltersOfRate(request.target_fpr, request.encoding, request.capacity, plan.sets)
          : PlanFiltersInMemory(request.memory_bytes, request.encoding, request.capacity,
                                plan.sets);
  if (!planned.ok()) return planned.error();
  for (const PlannedSet& set : plan.sets) {
    plan.filter_bytes += set.num_bytes;
    plan.filter_expected_fpr += set.weight * set.predicted_fpr;
  }
  if (!HasMatrix(sets)) return plan;

  matrix::Request matrix_request;
  matrix_request.kind = matrix::Kind::kCbfm;
  matrix_request.sets = sets;
  matrix_request.num_hashes = request.num_hashes == 0 ? kUsualHashes : request.num_hashes;
  matrix_request.num_cells = std::min(plan.filter_bytes, matrix::kMaxCells / 8) * 8;
  Result<matrix::MatrixGeometry> geometry = matrix::GeometryFor(matrix_request);
  if (!geometry.ok()) return geometry.error();
  plan.matrix = *std::move(geometry);
  plan.matrix_bytes = plan.matrix.num_bytes();
  for (size_t i = 0; i < plan.sets.size(); ++i) {
    PlannedSet& set = plan.sets[i];
    const matrix::Block& block = plan.matrix.blocks[i];
    set.num_cells = block.num_cells();
    set.matrix_fpr = matrix::PredictedFpr(block, plan.matrix.num_hashes, set.capacity);
    plan.matrix_expected_fpr += set.weight * set.matrix_fpr;
  }
  plan.matrix_bytes_for_filter_fpr =
      MatrixBytesFor(plan.filter_expected_fpr, plan.matrix.num_hashes, sets, plan.sets);
  plan.better = plan.matrix_expected_fpr < plan.filter_expected_fpr ? AttributeStructure::kMatrix
                                                                    : AttributeStructure::kFilter;
  return plan;
}

}  // namespace trommel
