#include "engine/index/src/protocol/region_states.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "engine/index/src/sync/steps.h"

namespace trommel::index {

RegionStates::RegionStates(size_t num_regions, size_t num_attributes, size_t num_row_locks)
    : row_locks_(num_row_locks) {
  states_.reserve(num_regions);
  for (size_t i = 0; i < num_regions; ++i) {
    states_.push_back(std::make_unique<RegionState>(num_attributes));
  }
}

std::vector<std::unique_lock<std::mutex>> RegionStates::LockRows(
    std::span<const std::string> keys) {
  std::vector<size_t> stripes;
  stripes.reserve(keys.size());
  for (const std::string& key : keys) {
    stripes.push_back(std::hash<std::string_view>()(key) % row_locks_.size());
  }
  // In one order, so that two operations cannot wait for each other; each once.
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
  std::vector<std::unique_lock<std::mutex>> locks;
  locks.reserve(stripes.size());
  for (const size_t stripe : stripes) {
    locks.push_back(LockThroughSteps(row_locks_[stripe], "lock row"));
  }
  return locks;
}

}  // namespace trommel::index
