// Sizes of sets' filters, and the sharing of memory among them.
#include "engine/src/attributes/set_sizes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/src/scalable/growth_plan.h"

namespace trommel {
namespace {

// Steps of an eighth of what the rate is: about 2 % of the bytes.
constexpr size_t kNumRates = 97;

ScalableConfig ConfigOf(uint64_t capacity, double target_fpr, Encoding encoding) {
  ScalableConfig config;
  config.first_capacity = capacity;
  config.target_fpr = target_fpr;
  config.mode = GrowthMode::kGenerations;
  config.encoding = encoding;
  return config;
}

// From the highest rate to the lowest that a first generation can keep.
double RateAt(size_t rate_idx) {
  const double lowest = kMinTargetFpr / (1 - ScalableConfig{}.tightening) * (1 + 1e-9);
  const double share = static_cast<double>(rate_idx) / (kNumRates - 1);
  return kMaxTargetFpr * std::pow(lowest / kMaxTargetFpr, share);
}

// That of generations of slices. 0: there is none.
uint32_t ShapeAt(uint64_t capacity, size_t rate_idx, Encoding encoding) {
  const Encoding of_slices = encoding == Encoding::kAutomatic ? Encoding::kRuns : encoding;
  const Result<GrowthSlot> slot = FirstSlot(ConfigOf(capacity, RateAt(rate_idx), of_slices));
  return slot.ok() ? slot->geometry.num_slices : 0;
}

// Between two rates of one shape all have it. 0: there is none.
void FindShapes(uint64_t capacity, Encoding encoding, size_t first, size_t last,
                std::span<uint32_t> shapes) {
  if (last - first < 2) return;
  if (shapes[first] == shapes[last] && shapes[first] != 0) {
    std::fill(shapes.begin() + static_cast<ptrdiff_t>(first),
              shapes.begin() + static_cast<ptrdiff_t>(last), shapes[first]);
    return;
  }
  const size_t middle = first + (last - first) / 2;
  shapes[middle] = ShapeAt(capacity, middle, encoding);
  FindShapes(capacity, encoding, first, middle, shapes);
  FindShapes(capacity, encoding, middle, last, shapes);
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

Encoding EncodingOfSet(Encoding asked_for, uint64_t capacity, uint64_t num_tuples) {
  const bool has_copies = num_tuples > capacity;
  return asked_for == Encoding::kAutomatic && has_copies ? Encoding::kRuns : asked_for;
}

Result<SetSize> SizeOfSet(uint64_t capacity, double target_fpr, Encoding encoding,
                          uint32_t num_slices, uint64_t num_copies) {
  ScalableConfig config =
      ConfigOf(capacity, target_fpr, EncodingOfSet(encoding, capacity, num_copies));
  config.num_slices = num_slices;
  const Result<GrowthSlot> slot = FirstSlot(config);
  if (!slot.ok()) return slot.error();
  return SetSize{.target_fpr = target_fpr,
                 .predicted_fpr = SlotFpr(slot->geometry, capacity),
                 .num_bytes = SlotBytes(slot->geometry, std::max(capacity, num_copies))};
}

Result<std::vector<SetSize>> SizesOfSet(uint64_t capacity, Encoding encoding,
                                        uint64_t shape_capacity, ShapesOfRates& shapes,
                                        uint64_t num_copies) {
  if (shapes.empty()) {
    shapes.assign(kNumRates, 0);
    for (const size_t end : {size_t{0}, kNumRates - 1}) {
      shapes[end] = ShapeAt(shape_capacity, end, encoding);
    }
    FindShapes(shape_capacity, encoding, 0, kNumRates - 1, shapes);
  }
  std::vector<SetSize> all;
  std::optional<Error> error;
  for (size_t i = 0; i < kNumRates; ++i) {
    if (shapes[i] == 0 && i + 1 < kNumRates) continue;
    const Result<SetSize> size = SizeOfSet(capacity, RateAt(i), encoding, shapes[i], num_copies);
    if (size.ok()) {
      all.push_back(*size);
    } else {
      error = size.error();
    }
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
