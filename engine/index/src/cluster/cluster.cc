#include "trommel/index/cluster.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/index/src/cluster/cluster_impl.h"
#include "engine/index/src/cluster/gates.h"
#include "engine/index/src/cluster/verifier.h"
#include "engine/index/src/rocks/store_scan.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/query.h"
#include "trommel/index/region_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr std::chrono::microseconds kLongestPause = std::chrono::milliseconds(100);

double SecondsOf(const std::atomic<uint64_t>& nanoseconds) {
  return static_cast<double>(nanoseconds.load(std::memory_order_relaxed)) * 1e-9;
}

GateStats StatsOf(const GateTimes& times) {
  return {.num_waits = times.shared.num,
          .wait_seconds = SecondsOf(times.shared.nanoseconds),
          .longest_wait = SecondsOf(times.shared.longest),
          .num_switches = times.exclusive.num,
          .longest_switch = SecondsOf(times.exclusive.longest)};
}

}  // namespace

Cluster::Cluster(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Cluster::Cluster(Cluster&&) noexcept = default;
Cluster& Cluster::operator=(Cluster&&) noexcept = default;
Cluster::~Cluster() = default;

const ClusterConfig& Cluster::config() const noexcept { return impl_->config; }
ServerIndex& Cluster::directory() noexcept { return impl_->directory; }
const ServerIndex& Cluster::directory() const noexcept { return impl_->directory; }
RegionStore& Cluster::store() const noexcept { return *impl_->store; }

Status Cluster::Put(const Row& row) {
  const Mutation mutation{.key = row.key, .attributes = row.attributes};
  return Write({&mutation, 1});
}

Status Cluster::Delete(std::string_view key) {
  const Mutation mutation{.key = std::string(key), .attributes = std::nullopt};
  return Write({&mutation, 1});
}

Status Cluster::Write(std::span<const Mutation> mutations) {
  Status status = impl_->writer.Write(mutations);
  impl_->builders.NoteWrite();
  return status;
}

Result<std::optional<Row>> Cluster::Get(std::string_view key) const {
  const auto deadline = std::chrono::steady_clock::now() + impl_->options.get_timeout;
  for (std::chrono::microseconds pause{100};;
       pause = std::min<std::chrono::microseconds>(2 * pause, kLongestPause)) {
    const uint32_t server = [&] {
      const ServerIndex::Pin pin = impl_->directory.PinVersion();
      return pin.table()[pin.table().Find(key)].server;
    }();
    const Result<std::optional<Versions>> answer = impl_->store->Read(server, key);
    if (!answer) return answer.error();
    if (answer->has_value()) {
      if ((*answer)->empty()) return std::optional<Row>();
      return std::optional(MergedRow(key, **answer));
    }
    // Not the server's: its region has just moved, and the next version says where to.
    if (std::chrono::steady_clock::now() + pause > deadline) {
      return Error{ErrorCode::kIo, "no server has said within " +
                                       std::to_string(impl_->options.get_timeout.count()) +
                                       " ms that it holds the row"};
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<QueryOutcome> Cluster::Find(const QueryRequest& request) const {
  Result<QueryOutcome> outcome = Query(impl_->directory, *impl_->store, request);
  if (outcome) impl_->queries.Add(*outcome);
  return outcome;
}

Result<bool> Cluster::BuildColumns(const Progress& progress,
                                   const std::function<bool()>& keep_going) {
  return impl_->builders.BuildAll(progress, keep_going);
}

Result<VerifyReport> Cluster::Verify(const Progress& progress, Repair repair,
                                     const std::function<bool()>& keep_going) {
  // What is repaired in memory alone is to be built again after a crash, too.
  if (repair != Repair::kNone) {
    if (const Status status = impl_->RemoveDirectoryFile(); !status) return status.error();
  }
  const std::unique_lock<std::mutex> sizes = impl_->builders.HoldSizes();
  TableChange no_change(impl_->keeper);
  const AllGates gates(impl_->regions, no_change.record().table);
  return Verifier(impl_->config.schema, no_change.record(), impl_->directory, impl_->stores,
                  {progress, keep_going}, repair)
      .Run();
}

Status Cluster::VerifyServer(uint32_t server) const {
  if (server < impl_->stores.size()) return Ok();
  return Error{ErrorCode::kInvalidArgument, "server must be between 0 and " +
                                                std::to_string(impl_->stores.size() - 1) +
                                                "; got " + std::to_string(server)};
}

Status Cluster::VerifyAttribute(uint32_t attribute) const {
  const size_t num_attributes = impl_->config.schema.attributes.size();
  if (attribute < num_attributes) return Ok();
  return Error{ErrorCode::kInvalidArgument, "attribute must be between 0 and " +
                                                std::to_string(num_attributes - 1) + "; got " +
                                                std::to_string(attribute)};
}

Result<SplitRegions> Cluster::Split(uint32_t region_id, const std::optional<std::string>& key) {
  const auto children = impl_->region_changes.Split(region_id, key);
  if (!children) return children.error();
  return SplitRegions{children->low_id, children->high_id};
}

Result<uint32_t> Cluster::Merge(uint32_t region_id, uint32_t other_id) {
  return impl_->region_changes.Merge(region_id, other_id);
}

Result<bool> Cluster::Move(uint32_t region_id, uint32_t server, const Progress& progress,
                           const std::function<bool()>& keep_going) {
  return impl_->region_changes.Move(region_id, server, {progress, keep_going});
}

std::vector<PlannedMove> Cluster::PlanBalance(bool by_writes) const {
  std::vector<PlannedMove> moves;
  for (const RegionMove& move : impl_->maintenance.Plan(by_writes)) {
    moves.push_back({move.region_id, move.server});
  }
  return moves;
}

Result<uint32_t> Cluster::Balance(const Progress& progress,
                                  const std::function<bool()>& keep_going) {
  const std::vector<PlannedMove> moves = PlanBalance();
  uint32_t num_moved = 0;
  for (const PlannedMove& move : moves) {
    if (progress != nullptr) progress(num_moved, moves.size());
    const Result<bool> is_moved = Move(move.region_id, move.server, nullptr, keep_going);
    // The region has been changed since the plan was made, or is just being changed.
    if (!is_moved && (is_moved.error().code == ErrorCode::kBusy ||
                      is_moved.error().code == ErrorCode::kInvalidArgument)) {
      continue;
    }
    if (!is_moved) return is_moved.error();
    if (!*is_moved) break;
    ++num_moved;
  }
  return num_moved;
}

std::vector<RegionLoad> Cluster::GetRegionLoads() const {
  std::vector<RegionLoad> loads;
  for (LoadedRegion& of : impl_->maintenance.Loads()) {
    const std::shared_ptr<RegionState> state = impl_->regions.Find(of.region.id);
    loads.push_back({.region = std::move(of.region),
                     .num_bytes = of.num_bytes,
                     .num_writes = state == nullptr ? 0 : state->num_writes.load(),
                     .writes_per_second = of.writes_per_second,
                     .is_busy = of.is_busy});
  }
  return loads;
}

Status Cluster::StopServer(uint32_t server) {
  if (Status status = VerifyServer(server); !status) return status;
  impl_->server_changes.Stop(server);
  return Ok();
}

Status Cluster::StartServer(uint32_t server) {
  if (Status status = VerifyServer(server); !status) return status;
  return impl_->server_changes.Start(server);
}

Status Cluster::AddIndex(uint32_t attribute) {
  if (Status status = VerifyAttribute(attribute); !status) return status;
  Status status = impl_->index_changes.Add(attribute);
  impl_->maintenance.Wake();
  return status;
}

Status Cluster::DropIndex(uint32_t attribute) {
  if (Status status = VerifyAttribute(attribute); !status) return status;
  Status status = impl_->index_changes.Drop(attribute);
  impl_->maintenance.Wake();
  return status;
}

Result<bool> Cluster::FinishChanges(const Progress& progress,
                                    const std::function<bool()>& keep_going) {
  return impl_->maintenance.Finish({progress, keep_going});
}

ClusterStats Cluster::GetStats() const {
  ClusterStats stats{.directory = impl_->directory.GetStats(),
                     .servers = std::vector<ServerStats>(impl_->stores.size()),
                     .num_columns_loaded = impl_->num_columns_loaded,
                     .num_leftovers = impl_->keeper.num_leftovers(),
                     .num_splits = impl_->region_changes.num_splits(),
                     .num_merges = impl_->region_changes.num_merges(),
                     .num_moves = impl_->region_changes.num_moves(),
                     .gates = StatsOf(impl_->regions.gate_times()),
                     .queries = impl_->queries.Totals(),
                     .last_failure = impl_->maintenance.last_failure()};
  for (const AttributeStats& attribute : stats.directory.attributes) {
    if (attribute.state == AttributeState::kIndexed) {
      stats.num_columns_waiting +=
          attribute.is_growing ? attribute.next_num_unbuilt : attribute.num_unbuilt;
    }
  }
  {
    const ServerIndex::Pin pin = impl_->directory.PinVersion();
    for (const Region& region : pin.table().regions()) ++stats.servers[region.server].num_regions;
  }
  for (size_t i = 0; i < stats.servers.size(); ++i) {
    const StoreSize size = EstimateSize(*impl_->stores[i]);
    ServerStats& server = stats.servers[i];
    server.is_stopped = impl_->stores[i]->is_stopped();
    server.num_rows = size.num_rows;
    server.num_entries = size.num_entries;
    server.disk_bytes = size.disk_bytes;
    // The servers share one cache.
    server.memory_bytes = size.write_buffer_bytes + size.cache_bytes / stats.servers.size();
    server.num_lookups = impl_->store->server(i).num_lookups();
  }
  return stats;
}

}  // namespace trommel::index
