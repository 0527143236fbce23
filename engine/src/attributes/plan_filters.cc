// Filters of planned sets: rates from memory, and memory from rates.
#include "engine/src/attributes/plan_filters.h"

#include <map>
#include <string>
#include <utility>

#include "engine/src/attributes/set_sizes.h"
#include "trommel/sizing.h"

namespace trommel {
namespace {

SetValues ValuesOf(const PlannedSet& set, const TupleNumbers& tuples, double target_fpr) {
  return {
      .capacity = set.capacity,
      .max_capacity = LargestOfSet(set.capacity, tuples.capacity, tuples.max_capacity, target_fpr),
      .num_tuples = tuples.capacity};
}

void Take(const SetSize& size, PlannedSet& set) {
  set.target_fpr = size.target_fpr;
  set.predicted_fpr = size.predicted_fpr;
  set.num_bytes = size.num_bytes;
}

}  // namespace

Status PlanFiltersOfRate(double target_fpr, const TupleNumbers& tuples,
                         std::vector<PlannedSet>& sets) {
  for (PlannedSet& set : sets) {
    const Result<SetSize> size = SizeOfSet(ValuesOf(set, tuples, target_fpr), target_fpr);
    if (!size.ok()) return size.error();
    Take(*size, set);
  }
  return Ok();
}

Status PlanFiltersInMemory(uint64_t memory_bytes, const TupleNumbers& tuples,
                           std::vector<PlannedSet>& sets) {
  std::map<uint64_t, std::vector<SetSize>> sizes_of;
  for (const PlannedSet& set : sets) {
    if (sizes_of.contains(set.capacity)) continue;
    Result<std::vector<SetSize>> sizes = SizesOfSet(ValuesOf(set, tuples, kMaxTargetFpr));
    if (!sizes.ok()) return sizes.error();
    sizes_of.emplace(set.capacity, *std::move(sizes));
  }
  std::vector<Sharer> sharers;
  uint64_t least = 0;
  for (const PlannedSet& set : sets) {
    sharers.push_back({set.weight, &sizes_of.at(set.capacity)});
    least += sharers.back().sizes->front().num_bytes;
  }
  if (least > memory_bytes) {
    return Error{ErrorCode::kInvalidArgument,
                 "memory_bytes is " + std::to_string(memory_bytes) +
                     "; at the highest rates the filters of all sets take " +
                     std::to_string(least)};
  }
  const std::vector<size_t> chosen = ShareMemory(sharers, memory_bytes);
  for (size_t i = 0; i < sets.size(); ++i) Take((*sharers[i].sizes)[chosen[i]], sets[i]);
  return Ok();
}

}  // namespace trommel
