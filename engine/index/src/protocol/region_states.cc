#include "engine/index/src/protocol/region_states.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <utility>

#include "engine/index/src/sync/steps.h"

namespace trommel::index {

RegionStates::RegionStates(size_t num_attributes, size_t num_row_locks)
    : num_attributes_(num_attributes), row_locks_(num_row_locks) {}

void RegionStates::Add(uint32_t region_id) {
  auto state = std::make_shared<RegionState>(num_attributes_, gate_times_);
  const std::lock_guard lock(mutex_);
  states_.emplace(region_id, std::move(state));
}

void RegionStates::Remove(uint32_t region_id) {
  const std::lock_guard lock(mutex_);
  states_.erase(region_id);
}

std::shared_ptr<RegionState> RegionStates::Find(uint32_t region_id) const {
  const std::shared_lock lock(mutex_);
  const auto state = states_.find(region_id);
  return state == states_.end() ? nullptr : state->second;
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
