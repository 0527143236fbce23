// Sizes of sets' filters, and the sharing of memory among them.
#include "engine/src/attributes/set_sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/src/growing/digest_copies.h"
#include "engine/src/scalable/growth_plan.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

Result<GrowthPlan> PlanOf(const SetValues& values, double target_fpr) {
  return GrowthPlan::MakeOfPart({.first_capacity = values.capacity,
                                 .target_fpr = target_fpr,
                                 .max_capacity = values.max_capacity,
                                 .digest = {.kind = DigestKind::kCaller}});
}

// Of further copies: 64 bytes per digest that has some, or a number of groups of 4 bits in a record
// of a block (fingerprints/dense_counts.h).
uint64_t CopyBytes(const GrowthPlan& plan, const SetValues& values) {
  if (values.num_tuples <= values.capacity) return 0;
  const uint64_t num_further = values.num_tuples - values.capacity;
  const uint64_t num_keys = std::min(num_further, values.capacity);
  if (plan.ShareInBlocksAt(values.capacity) < 0.5) return num_keys * DigestCopies::kNodeBytes;
  // With what a record and its place take.
  const auto num_bits = static_cast<uint64_t>(std::bit_width(num_further / num_keys));
  return num_keys * ((num_bits + 2) / 3 + 4) / 2;
}

SetSize SizeBy(const GrowthPlan& plan, const SetValues& values, double target_fpr) {
  return {.target_fpr = target_fpr,
          .predicted_fpr = plan.FprAt(values.capacity),
          .num_bytes =
              std::max(plan.FirstBytes(), plan.BytesAt(values.capacity)) + CopyBytes(plan, values)};
}

// Where no line between others runs below: the vertices, the first and the last among them.
std::vector<size_t> LowerHull(const std::vector<SetSize>& sizes) {
  const auto slope = [&sizes](size_t from, size_t to) {
    return (sizes[to].predicted_fpr - sizes[from].predicted_fpr) /
           static_cast<double>(sizes[to].num_bytes - sizes[from].num_bytes);
  };
  std::vector<size_t> hull;
  for (size_t i = 0; i < sizes.size(); ++i) {
    while (hull.size() > 1 && slope(hull[hull.size() - 2], hull.back()) >= slope(hull.back(), i)) {
      hull.pop_back();
    }
    hull.push_back(i);
  }
  return hull;
}

struct Step {
  size_t sharer_idx = 0;
  size_t size_idx = 0;  // what it leads to
  double gain = 0;      // a byte
};

// Each sharer's in their order, as those of a convex hull are anyway.
std::vector<Step> StepsOf(std::span<const Sharer> sharers) {
  std::vector<Step> steps;
  for (size_t i = 0; i < sharers.size(); ++i) {
    if (!(sharers[i].weight > 0)) continue;
    const std::vector<SetSize>& sizes = *sharers[i].sizes;
    const std::vector<size_t> hull = LowerHull(sizes);
    for (size_t v = 1; v < hull.size(); ++v) {
      const SetSize& from = sizes[hull[v - 1]];
      const SetSize& to = sizes[hull[v]];
      const double gain = sharers[i].weight * (from.predicted_fpr - to.predicted_fpr) /
                          static_cast<double>(to.num_bytes - from.num_bytes);
      steps.push_back({i, hull[v], gain});
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.gain > b.gain; });
  return steps;
}

}  // namespace

uint64_t LargestOfSet(uint64_t capacity, uint64_t num_tuples, uint64_t max_tuples,
                      double target_fpr) {
  const auto of_tuples = static_cast<double>(std::max(num_tuples, uint64_t{1}));
  const double usual =
      std::max(static_cast<double>(kUsualGrowth) * of_tuples, static_cast<double>(kUsualLargest));
  const double growth = (max_tuples == 0 ? usual : static_cast<double>(max_tuples)) / of_tuples;
  const double wanted = std::ceil(static_cast<double>(capacity) * growth);
  const uint64_t largest =
      wanted < static_cast<double>(kMaxCapacity) ? static_cast<uint64_t>(wanted) : kMaxCapacity;
  if (max_tuples != 0) return largest;
  const uint64_t most = std::max(GrowthPlan::MostKeysAt(target_fpr), capacity);
  return std::min(largest, most);
}

Result<SetSize> SizeOfSet(const SetValues& values, double target_fpr) {
  const Result<GrowthPlan> plan = PlanOf(values, target_fpr);
  if (!plan.ok()) return plan.error();
  return SizeBy(*plan, values, target_fpr);
}

// A target for each number of bits that a filter may keep: the highest of them.
Result<std::vector<SetSize>> SizesOfSet(const SetValues& values) {
  std::vector<SetSize> all;
  std::optional<Error> error;
  for (double target_fpr = kMaxTargetFpr; target_fpr >= kMinTargetFpr;) {
    const Result<GrowthPlan> plan = PlanOf(values, target_fpr);
    if (plan.ok()) {
      all.push_back(SizeBy(*plan, values, target_fpr));
    } else {
      error = plan.error();
    }
    if (!plan.ok()) break;
    // Of one bit more.
    const auto largest = static_cast<double>(std::max(values.capacity, values.max_capacity));
    target_fpr = std::ldexp(largest, -static_cast<int>(plan->num_bits() + 1));
  }
  if (all.empty()) return *error;
  std::stable_sort(all.begin(), all.end(),
                   [](const SetSize& a, const SetSize& b) { return a.num_bytes < b.num_bytes; });
  std::vector<SetSize> worth;
  for (const SetSize& size : all) {
    if (!worth.empty() && size.predicted_fpr >= worth.back().predicted_fpr) continue;
    if (!worth.empty() && size.num_bytes == worth.back().num_bytes) worth.pop_back();
    worth.push_back(size);
  }
  return worth;
}

std::vector<size_t> ShareMemory(std::span<const Sharer> sharers, uint64_t num_bytes) {
  std::vector<size_t> chosen(sharers.size(), 0);
  uint64_t taken = 0;
  for (const Sharer& sharer : sharers) taken += sharer.sizes->front().num_bytes;
  if (taken >= num_bytes) return chosen;
  uint64_t left = num_bytes - taken;
  std::vector<bool> was_refused(sharers.size(), false);
  std::vector<size_t> refused;
  for (const Step& step : StepsOf(sharers)) {
    if (was_refused[step.sharer_idx]) continue;
    const std::vector<SetSize>& sizes = *sharers[step.sharer_idx].sizes;
    size_t& size_idx = chosen[step.sharer_idx];
    const uint64_t more = sizes[step.size_idx].num_bytes - sizes[size_idx].num_bytes;
    if (more > left) {
      was_refused[step.sharer_idx] = true;
      refused.push_back(step.sharer_idx);
      continue;
    }
    left -= more;
    size_idx = step.size_idx;
  }
  for (const size_t i : refused) {
    const std::vector<SetSize>& sizes = *sharers[i].sizes;
    const uint64_t before = sizes[chosen[i]].num_bytes;
    while (chosen[i] + 1 < sizes.size() && sizes[chosen[i] + 1].num_bytes - before <= left) {
      ++chosen[i];
    }
    left -= sizes[chosen[i]].num_bytes - before;
  }
  return chosen;
}

}  // namespace trommel
