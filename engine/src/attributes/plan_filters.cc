// Filters of planned sets: rates from memory, and memory from rates.
#include "engine/src/attributes/plan_filters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/src/attributes/set_sizes.h"

namespace trommel {
namespace {

// Up to so many different capacities all shapes are looked for where they are used.
constexpr size_t kFewCapacities = 16;
// Memory that is left is worth another look from this share on.
constexpr double kWorthUsing = 0.005;

void Take(const SetSize& size, PlannedSet& set) {
  set.target_fpr = size.target_fpr;
  set.predicted_fpr = size.predicted_fpr;
  set.num_bytes = size.num_bytes;
}

// Sets' filters as they will be built, each computed once.
class FilterSizes {
 public:
  FilterSizes(Encoding encoding, uint64_t num_tuples)
      : encoding_(encoding), num_tuples_(num_tuples) {}

  Result<SetSize> At(uint64_t capacity, double target_fpr) {
    const auto key = std::pair(capacity, target_fpr);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    Result<SetSize> size = SizeOfSet(capacity, target_fpr, encoding_, 0, num_tuples_);
    if (size.ok()) known_.emplace(key, *size);
    return size;
  }

 private:
  Encoding encoding_;
  uint64_t num_tuples_;
  std::map<std::pair<uint64_t, double>, SetSize> known_;
};

uint64_t SumOfBytes(const std::vector<PlannedSet>& sets) {
  uint64_t sum = 0;
  for (const PlannedSet& set : sets) sum += set.num_bytes;
  return sum;
}

// Lowers rates a little further, sets with the most queries first, where memory is left between two
// sizes.
void UseRest(uint64_t memory_bytes, FilterSizes& filters, std::vector<PlannedSet>& sets) {
  constexpr size_t kMostTries = 8;
  std::vector<size_t> order;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].weight > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&sets](size_t a, size_t b) {
    return sets[a].weight * sets[a].predicted_fpr > sets[b].weight * sets[b].predicted_fpr;
  });
  uint64_t left = memory_bytes - SumOfBytes(sets);
  for (size_t i = 0; i < std::min(order.size(), kMostTries); ++i) {
    if (static_cast<double>(left) < kWorthUsing * static_cast<double>(memory_bytes)) return;
    PlannedSet& set = sets[order[i]];
    const uint64_t most = set.num_bytes + left;
    double low = set.target_fpr / 4;
    double high = set.target_fpr;
    for (int halving = 0; halving < 12; ++halving) {
      const double middle = std::sqrt(low * high);
      const Result<SetSize> size = filters.At(set.capacity, middle);
      if (!size.ok() || size->num_bytes > most) {
        low = middle;
        continue;
      }
      high = middle;
      if (size->predicted_fpr < set.predicted_fpr) Take(*size, set);
    }
    left = most - set.num_bytes;
  }
}

}  // namespace

Status PlanFiltersOfRate(double target_fpr, Encoding encoding, uint64_t num_tuples,
                         std::vector<PlannedSet>& sets) {
  FilterSizes filters(encoding, num_tuples);
  for (PlannedSet& set : sets) {
    const Result<SetSize> size = filters.At(set.capacity, target_fpr);
    if (!size.ok()) return size.error();
    Take(*size, set);
  }
  return Ok();
}

Status PlanFiltersInMemory(uint64_t memory_bytes, Encoding encoding, uint64_t num_tuples,
                           std::vector<PlannedSet>& sets) {
  FilterSizes filters(encoding, num_tuples);
  std::map<uint64_t, std::vector<SetSize>> sizes_of;
  std::set<uint64_t> capacities;
  for (const PlannedSet& set : sets) capacities.insert(set.capacity);
  std::map<uint64_t, ShapesOfRates> shapes;
  for (const uint64_t capacity : capacities) {
    const uint64_t shape_capacity =
        capacities.size() <= kFewCapacities ? capacity : std::bit_floor(capacity);
    Result<std::vector<SetSize>> sizes =
        SizesOfSet(capacity, encoding, shape_capacity, shapes[shape_capacity], num_tuples);
    if (!sizes.ok()) return sizes.error();
    sizes_of.emplace(capacity, *std::move(sizes));
  }
  std::vector<Sharer> sharers;
  uint64_t least = 0;
  for (const PlannedSet& set : sets) {
    sharers.push_back({set.weight, &sizes_of.at(set.capacity)});
    least += sharers.back().sizes->front().num_bytes;
  }
  // Shapes that were looked for elsewhere may make a filter larger than its size here says.
  for (uint64_t budget = memory_bytes;;) {
    const std::vector<size_t> chosen = ShareMemory(sharers, budget);
    for (size_t i = 0; i < sets.size(); ++i) {
      const Result<SetSize> size =
          filters.At(sets[i].capacity, (*sharers[i].sizes)[chosen[i]].target_fpr);
      if (!size.ok()) return size.error();
      Take(*size, sets[i]);
    }
    const uint64_t taken = SumOfBytes(sets);
    if (taken <= memory_bytes) break;
    if (budget <= least) {
      return Error{ErrorCode::kInvalidArgument,
                   "memory_bytes is " + std::to_string(memory_bytes) +
                       "; at the highest rates the filters of all sets take " +
                       std::to_string(taken)};
    }
    budget = std::max(least, budget - std::min(budget, taken - memory_bytes));
  }
  UseRest(memory_bytes, filters, sets);
  return Ok();
}

}  // namespace trommel
