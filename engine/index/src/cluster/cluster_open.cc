// Create, Open and Close of a Cluster: its folder over a restart.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/index/src/cluster/cluster_impl.h"
#include "engine/index/src/cluster/gates.h"
#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_codec.h"
#include "engine/index/src/rocks/meta_store.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/table_record_codec.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr uint64_t kLeastMemory = uint64_t{1} << 20;
constexpr uint32_t kMostThreads = 64;
constexpr std::chrono::milliseconds kLongestTime = std::chrono::hours(365 * 24);

Error OutOfRangeOption(const std::string& name, const std::string& range, uint64_t got) {
  return Error{ErrorCode::kInvalidArgument,
               name + " must be " + range + "; got " + std::to_string(got)};
}

Status ValidateTime(const std::string& name, std::chrono::milliseconds time) {
  if (time >= std::chrono::milliseconds(1) && time <= kLongestTime) return Ok();
  return Error{ErrorCode::kInvalidArgument,
               name + " must be between 1 and " + std::to_string(kLongestTime.count()) +
                   " ms (a year); got " + std::to_string(time.count())};
}

Status ValidateOptions(const ClusterOptions& options) {
  if (options.memory_bytes < kLeastMemory) {
    return OutOfRangeOption("memory_bytes", "at least " + std::to_string(kLeastMemory),
                            options.memory_bytes);
  }
  if (options.threads_per_server < 1 || options.threads_per_server > kMostThreads) {
    return OutOfRangeOption("threads_per_server", "between 1 and " + std::to_string(kMostThreads),
                            options.threads_per_server);
  }
  if (Status status = ValidateTime("rules.interval", options.rules.interval); !status) {
    return status;
  }
  if (Status status = ValidateTime("get_timeout", options.get_timeout); !status) return status;
  if (options.num_builders > kMostThreads) {
    return OutOfRangeOption("num_builders", "between 0 and " + std::to_string(kMostThreads),
                            options.num_builders);
  }
  return Ok();
}

Result<ServerIndex> MakeDirectory(const ClusterConfig& config, const TableRecord& record) {
  ServerIndexConfig directory;
  directory.structure = config.structure;
  directory.target_fpr = config.target_fpr;
  directory.num_servers = config.num_servers;
  for (const AttributeRecord& attribute : record.attributes) {
    directory.attributes.push_back(attribute.state);
  }
  return ServerIndex::Create(directory, record.table);
}

// Creates or opens the databases of all servers.
Result<RowStores> MakeStores(const std::filesystem::path& folder, const ClusterRecord& record,
                             const ClusterOptions& options, OpenMode mode) {
  const DatabaseResources resources(options.memory_bytes, record.config.num_servers);
  const RowStoreOptions of_stores{.num_attributes = record.config.schema.attributes.size(),
                                  .sync_writes = options.sync_writes};
  const auto make = mode == OpenMode::kCreate ? RocksRowStore::Create : RocksRowStore::Open;
  RowStores stores;
  for (uint32_t i = 0; i < record.config.num_servers; ++i) {
    const ServerIdentity identity{.cluster = record.cluster_id, .server = i};
    auto store = make(ServerFolder(folder, i), identity, of_stores, resources);
    if (store) {
      stores.push_back(*std::move(store));
    } else if (mode == OpenMode::kOpen && options.leaves_out_lost_servers) {
      stores.push_back(RocksRowStore::Stopped(ServerFolder(folder, i), identity, of_stores,
                                              resources, store.error()));
    } else {
      return store.error();
    }
  }
  return stores;
}

std::vector<RowStore*> PointersTo(const RowStores& stores) {
  std::vector<RowStore*> pointers;
  for (const std::unique_ptr<RocksRowStore>& store : stores) pointers.push_back(store.get());
  return pointers;
}

// A store whose stamp cannot be read gets one that no database has, so its columns are built again.
std::vector<StoreStamp> StampsOf(const RowStores& stores) {
  std::vector<StoreStamp> stamps;
  for (const std::unique_ptr<RocksRowStore>& store : stores) {
    const Result<StoreStamp> stamp = store->Stamp();
    stamps.push_back(stamp ? *stamp : StoreStamp{});
  }
  return stamps;
}

}  // namespace

ChangeContext Cluster::Impl::Context() {
  return {static_cast<uint32_t>(config.schema.attributes.size()),
          directory,
          regions,
          servers,
          *store,
          keeper};
}

Cluster::Impl::Impl(std::filesystem::path cluster_folder, MetaStore meta_store, MetaRecords records,
                    const ClusterOptions& cluster_options, RowStores row_stores,
                    ServerIndex server_index, std::unique_ptr<EmbeddedStore> servers_of_lookups)
    : folder(std::move(cluster_folder)),
      meta(std::move(meta_store)),
      config(std::move(records.cluster.config)),
      options(cluster_options),
      stores(std::move(row_stores)),
      servers(PointersTo(stores)),
      directory(std::move(server_index)),
      regions(config.schema.attributes.size()),
      store(std::move(servers_of_lookups)),
      writer(config.schema, directory, regions, servers),
      keeper(std::move(records.table), meta),
      region_changes(Context()),
      server_changes(Context()),
      index_changes(Context(), options.backfill_rows_per_second),
      builders(directory, regions, servers),
      maintenance(Context(), options.rules, region_changes, index_changes) {
  const RegionTable table = keeper.Read().table;
  for (const Region& region : table.regions()) regions.Add(region.id);
  for (uint32_t i = 0; i < stores.size(); ++i) {
    if (stores[i]->is_stopped()) store->SetAnswering(i, false);
  }
}

Result<std::unique_ptr<Cluster::Impl>> Cluster::Impl::Make(const std::filesystem::path& folder,
                                                           MetaStore meta, MetaRecords records,
                                                           const ClusterOptions& options,
                                                           RowStores stores) {
  Result<ServerIndex> directory = MakeDirectory(records.cluster.config, records.table);
  if (!directory) return directory.error();
  Result<std::unique_ptr<EmbeddedStore>> servers = EmbeddedStore::Start(
      stores, records.table.table, records.cluster.config.schema.attributes.size(),
      options.threads_per_server);
  if (!servers) return servers.error();
  return std::make_unique<Impl>(folder, std::move(meta), std::move(records), options,
                                std::move(stores), *std::move(directory), *std::move(servers));
}

Status Cluster::Impl::RemoveDirectoryFile() const {
  std::error_code error;
  std::filesystem::remove(DirectoryFile(), error);
  if (!error) return Ok();
  return Error{ErrorCode::kIo,
               DirectoryFile().string() + ": cannot remove this stale file: " + error.message()};
}

Status Cluster::Impl::StartThreads() {
  if (Status status = builders.Start(options.num_builders); !status) return status;
  return options.finishes_in_background ? maintenance.Start() : Ok();
}

Result<Cluster> Cluster::Create(const std::filesystem::path& folder, const ClusterConfig& config,
                                const ClusterOptions& options) {
  if (const Status status = ValidateConfig(config); !status) return status.error();
  if (const Status status = ValidateOptions(options); !status) return status.error();
  Result<RegionTable> table = RegionTable::Split(config.splits, config.num_servers);
  if (!table) return table.error();
  MetaRecords records{.cluster = {.cluster_id = RandomName(), .config = config},
                      .table = FirstRecord(config.schema, *std::move(table))};
  // Before there is a folder: whatever is refused is refused now.
  if (const auto directory = MakeDirectory(config, records.table); !directory) {
    return directory.error();
  }

  Result<MetaStore> meta = MetaStore::Create(folder);
  if (!meta) return meta.error();
  Result<RowStores> stores = MakeStores(folder, records.cluster, options, OpenMode::kCreate);
  if (!stores) return stores.error();
  if (const Status status = meta->Write(records); !status) return status.error();
  auto impl = Impl::Make(folder, *std::move(meta), std::move(records), options, *std::move(stores));
  if (!impl) return impl.error();
  if (const Status status = (*impl)->StartThreads(); !status) return status.error();
  return Cluster(*std::move(impl));
}

Result<Cluster> Cluster::Open(const std::filesystem::path& folder, const ClusterOptions& options) {
  if (const Status status = ValidateOptions(options); !status) return status.error();
  Result<MetaStore> meta = MetaStore::Open(folder);
  if (!meta) return meta.error();
  Result<MetaRecords> records = meta->Read();
  if (!records) return records.error();
  Result<RowStores> stores = MakeStores(folder, records->cluster, options, OpenMode::kOpen);
  if (!stores) return stores.error();
  auto made =
      Impl::Make(folder, *std::move(meta), *std::move(records), options, *std::move(stores));
  if (!made) return Error{made.error().code, folder.string() + ": " + made.error().message};
  std::unique_ptr<Impl> impl = *std::move(made);
  const Result<size_t> num_loaded =
      impl->directory.LoadColumns(impl->DirectoryFile(), StampsOf(impl->stores));
  if (num_loaded) impl->num_columns_loaded = *num_loaded;
  if (const Status status = impl->StartThreads(); !status) return status.error();
  return Cluster(std::move(impl));
}

Status Cluster::Close() {
  Impl& impl = *impl_;
  impl.maintenance.Stop();
  impl.builders.Stop();
  Status result = Ok();
  {
    const TableChange no_change(impl.keeper);
    const AllGates gates(impl.regions, impl.directory.PinVersion().table());
    // Before the columns are written, so that they are not of writes that a crash of the machine
    // loses. A server that is stopped has no stamp, so its columns are built again.
    for (RowStore* const server : impl.servers) {
      const Status status = server->Sync();
      if (!status && !server->is_stopped() && result.ok()) result = status;
    }
    std::error_code error;
    if (result.ok()) {
      result = impl.directory.Save(impl.DirectoryFile(), StampsOf(impl.stores));
    }
    if (!result.ok()) std::filesystem::remove(impl.DirectoryFile(), error);
  }
  impl_ = ImplPtr<Impl>();
  return result;
}

}  // namespace trommel::index
