#include "trommel/index/cluster.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  const uint32_t server = [&] {
    const ServerIndex::Pin pin = impl_->directory.PinVersion();
    return pin.table()[pin.table().Find(key)].server;
  }();
  const std::string row_key(key);
  const Result<std::vector<Versions>> rows = impl_->stores[server]->Read({&row_key, 1});
  if (!rows) return rows.error();
  const Versions& versions = rows->front();
  if (versions.empty()) return std::optional<Row>();
  Row row{.key = row_key, .attributes = {}};
  for (uint32_t attribute = 0; attribute < versions[0].size(); ++attribute) {
    row.attributes.push_back(ValuesOf(versions, attribute));
  }
  return std::optional(std::move(row));
}

Result<QueryOutcome> Cluster::Find(const QueryRequest& request) const {
  return Query(impl_->directory, *impl_->store, request);
}

Result<bool> Cluster::BuildColumns(const Progress& progress,
                                   const std::function<bool()>& keep_going) {
  return impl_->builders.BuildAll(progress, keep_going);
}

Result<VerifyReport> Cluster::Verify(const Progress& progress) {
  const std::unique_lock<std::mutex> sizes = impl_->builders.HoldSizes();
  const AllGates gates(impl_->regions);
  return Verifier(impl_->config.schema.attributes.size(), impl_->directory, impl_->stores, progress)
      .Run();
}

ClusterStats Cluster::GetStats() const {
  ClusterStats stats{.directory = impl_->directory.GetStats(),
                     .servers = std::vector<ServerStats>(impl_->stores.size()),
                     .num_columns_loaded = impl_->num_columns_loaded};
  {
    const ServerIndex::Pin pin = impl_->directory.PinVersion();
    for (const Region& region : pin.table().regions()) ++stats.servers[region.server].num_regions;
  }
  for (size_t i = 0; i < stats.servers.size(); ++i) {
    const StoreSize size = EstimateSize(*impl_->stores[i]);
    ServerStats& server = stats.servers[i];
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
