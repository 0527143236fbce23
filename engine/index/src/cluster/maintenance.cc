#include "engine/index/src/cluster/maintenance.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/out_of_memory.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"

namespace trommel::index {
namespace {

// A rate is not measured over less.
constexpr std::chrono::milliseconds kLeastMeasured{50};

// Something else is done to a region, or it has too few rows to be split: no failure of the rule.
bool IsOrdinary(const Error& error) {
  return error.code == ErrorCode::kBusy || error.code == ErrorCode::kInvalidArgument;
}

}  // namespace

Status Maintenance::Start() {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kIo,
                 std::string("cannot start the background thread: ") + error.what()};
  }
  return Ok();
}

void Maintenance::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Maintenance::Wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  changed_.notify_all();
}

void Maintenance::Run() {
  while (!is_stopping_) {
    std::string failure;
    try {
      if (const Status status = Work(); !status) failure = status.error().message;
    } catch (const std::bad_alloc&) {
      failure = OutOfMemory().message;
    }
    std::unique_lock lock(mutex_);
    last_failure_.swap(failure);
    changed_.wait_for(lock, rules_.interval, [this] { return is_stopping_ || is_woken_; });
    is_woken_ = false;
  }
}

Status Maintenance::Work() {
  const Result<bool> is_finished = Finish(WhileRunning());
  Status first_failure = is_finished ? Ok() : Status(is_finished.error());
  if (!HasRules()) return first_failure;
  MeasureWrites();
  for (const Status& status : {SplitByRule(), MoveByRule()}) {
    if (!status && first_failure.ok()) first_failure = status;
  }
  return first_failure;
}

Result<bool> Maintenance::Finish(const Watch& watch) {
  // Each also when another one fails: they may be of different servers.
  Result<bool> are_removed = regions_.RemoveLeftovers(watch);
  if (are_removed && !*are_removed) return false;
  Result<bool> are_finished = indexes_.Finish(watch);
  if (!are_removed) return are_removed;
  return are_finished;
}

void Maintenance::MeasureWrites() {
  const RegionTable table = context_.directory.PinVersion().table();
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now - measured_at_ < kLeastMeasured) return;
  const double seconds = std::chrono::duration<double>(now - measured_at_).count();
  measured_at_ = now;
  std::map<uint32_t, Measured> writes;
  for (const Region& region : table.regions()) {
    const std::shared_ptr<RegionState> state = context_.regions.Find(region.id);
    if (state == nullptr) continue;
    Measured& measured = writes[region.id];
    measured.num_writes = state->num_writes.load(std::memory_order_relaxed);
    const auto before = writes_.find(region.id);
    if (before == writes_.end()) continue;  // a new region: measured from now on
    measured.writes_per_second =
        static_cast<double>(measured.num_writes - before->second.num_writes) / seconds;
  }
  writes_.swap(writes);
}

std::vector<LoadedRegion> Maintenance::Loads() const {
  const RegionTable table = context_.directory.PinVersion().table();
  std::vector<LoadedRegion> loads;
  for (const Region& region : table.regions()) {
    LoadedRegion& load = loads.emplace_back();
    load.region = region;
    const Result<uint64_t> num_bytes = context_.servers[region.server]->EstimateBytes(region.range);
    if (num_bytes) load.num_bytes = *num_bytes;
    load.is_busy = regions_.IsBusy(region.id);
    const std::lock_guard lock(mutex_);
    const auto writes = writes_.find(region.id);
    if (writes != writes_.end()) load.writes_per_second = writes->second.writes_per_second;
  }
  return loads;
}

std::vector<RegionMove> Maintenance::Plan(bool by_writes) const {
  std::vector<bool> runs;
  for (const RowStore* const server : context_.servers) runs.push_back(!server->is_stopped());
  return PlanMoves(Loads(), runs, by_writes);
}

Status Maintenance::SplitByRule() {
  for (const LoadedRegion& load : Loads()) {
    const bool is_large = rules_.split_bytes != 0 && load.num_bytes > rules_.split_bytes;
    const bool is_written =
        rules_.split_writes_per_second != 0 &&
        load.writes_per_second > static_cast<double>(rules_.split_writes_per_second);
    if (load.is_busy || (!is_large && !is_written)) continue;
    const auto children = regions_.Split(load.region.id, std::nullopt);
    if (children) return Ok();
    if (!IsOrdinary(children.error())) return children.error();
  }
  return Ok();
}

Status Maintenance::MoveByRule() {
  if (!rules_.is_balanced) return Ok();
  for (const RegionMove& move : Plan(true)) {
    const Result<bool> is_moved = regions_.Move(move.region_id, move.server, WhileRunning());
    if (is_moved) return Ok();
    if (!IsOrdinary(is_moved.error())) return is_moved.error();
  }
  return Ok();
}

std::string Maintenance::last_failure() const {
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

}  // namespace trommel::index
