// Create, Open and Close of a Cluster: its folder over a restart.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
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

Error OutOfRangeOption(const std::string& name, const std::string& range, uint64_t got) {
  return Error{ErrorCode::kInvalidArgument,
               name + " must be " + range + "; got " + std::to_string(got)};
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
  if (options.num_builders > kMostThreads) {
    return OutOfRangeOption("num_builders", "between 0 and " + std::to_string(kMostThreads),
                            options.num_builders);
  }
  return Ok();
}

std::string NewClusterId() {
  constexpr char kHex[] = "0123456789abcdef";
  std::random_device random;
  std::string id;
  for (int i = 0; i < 32; ++i) id.push_back(kHex[random() % 16]);
  return id;
}

Result<ServerIndex> MakeDirectory(const ClusterConfig& config, RegionTable table) {
  ServerIndexConfig directory;
  directory.structure = config.structure;
  directory.target_fpr = config.target_fpr;
  for (const Attribute& attribute : config.schema.attributes) {
    directory.attributes.push_back(attribute.is_indexed ? AttributeState::kIndexed
                                                        : AttributeState::kNone);
  }
  return ServerIndex::Create(directory, std::move(table));
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
    if (!store) return store.error();
    stores.push_back(*std::move(store));
  }
  return stores;
}

size_t NumIds(const ServerIndex& directory) {
  size_t num_ids = 0;
  const ServerIndex::Pin pin = directory.PinVersion();
  for (const Region& region : pin.table().regions()) {
    num_ids = std::max<size_t>(num_ids, size_t{region.id} + 1);
  }
  return num_ids;
}

std::vector<RowStore*> PointersTo(const RowStores& stores) {
  std::vector<RowStore*> pointers;
  for (const std::unique_ptr<RocksRowStore>& store : stores) pointers.push_back(store.get());
  return pointers;
}

// A store that cannot say what it is gets a stamp that no database has: its columns are built
// again.
std::vector<StoreStamp> StampsOf(const RowStores& stores) {
  std::vector<StoreStamp> stamps;
  for (const std::unique_ptr<RocksRowStore>& store : stores) {
    const Result<StoreStamp> stamp = store->Stamp();
    stamps.push_back(stamp ? *stamp : StoreStamp{});
  }
  return stamps;
}

}  // namespace

Cluster::Impl::Impl(std::filesystem::path cluster_folder, MetaStore meta_store,
                    ClusterConfig cluster_config, RowStores row_stores, ServerIndex server_index)
    : folder(std::move(cluster_folder)),
      meta(std::move(meta_store)),
      config(std::move(cluster_config)),
      stores(std::move(row_stores)),
      servers(PointersTo(stores)),
      directory(std::move(server_index)),
      regions(NumIds(directory), config.schema.attributes.size()),
      writer(config.schema, directory, regions, servers),
      builders(directory, regions, servers) {}

Status Cluster::Impl::Start(const ClusterOptions& options) {
  Result<std::unique_ptr<EmbeddedStore>> started = [&] {
    const ServerIndex::Pin pin = directory.PinVersion();
    return EmbeddedStore::Start(stores, pin.table(), config.schema.attributes.size(),
                                options.threads_per_server);
  }();
  if (!started) return started.error();
  store = *std::move(started);
  return builders.Start(options.num_builders);
}

Result<Cluster> Cluster::Create(const std::filesystem::path& folder, const ClusterConfig& config,
                                const ClusterOptions& options) {
  if (const Status status = ValidateConfig(config); !status) return status.error();
  if (const Status status = ValidateOptions(options); !status) return status.error();
  Result<RegionTable> table = RegionTable::Split(config.splits, config.num_servers);
  if (!table) return table.error();
  Result<ServerIndex> directory = MakeDirectory(config, *table);
  if (!directory) return directory.error();

  Result<MetaStore> meta = MetaStore::Create(folder);
  if (!meta) return meta.error();
  const ClusterRecord record{.cluster_id = NewClusterId(), .config = config};
  Result<RowStores> stores = MakeStores(folder, record, options, OpenMode::kCreate);
  if (!stores) return stores.error();
  const MetaRecords records{.cluster = record, .table = *std::move(table)};
  if (const Status status = meta->Write(records); !status) return status.error();

  auto impl = std::make_unique<Impl>(folder, *std::move(meta), config, *std::move(stores),
                                     *std::move(directory));
  if (const Status status = impl->Start(options); !status) return status.error();
  return Cluster(std::move(impl));
}

Result<Cluster> Cluster::Open(const std::filesystem::path& folder, const ClusterOptions& options) {
  if (const Status status = ValidateOptions(options); !status) return status.error();
  Result<MetaStore> meta = MetaStore::Open(folder);
  if (!meta) return meta.error();
  Result<MetaRecords> records = meta->Read();
  if (!records) return records.error();
  const ClusterConfig& config = records->cluster.config;
  Result<RowStores> stores = MakeStores(folder, records->cluster, options, OpenMode::kOpen);
  if (!stores) return stores.error();
  const size_t num_columns =
      records->table.size() *
      static_cast<size_t>(std::ranges::count_if(config.schema.attributes, &Attribute::is_indexed));
  Result<ServerIndex> directory = MakeDirectory(config, std::move(records->table));
  if (!directory) {
    return Error{ErrorCode::kCorrupt, folder.string() + ": " + directory.error().message};
  }

  auto impl = std::make_unique<Impl>(folder, *std::move(meta), config, *std::move(stores),
                                     *std::move(directory));
  const Result<size_t> num_loaded =
      impl->directory.LoadColumns(impl->DirectoryFile(), StampsOf(impl->stores));
  if (num_loaded) impl->num_columns_loaded = *num_loaded;
  // A database that is not what the file says may have been put back from a copy. It could reach
  // the file's sequence number again, by other writes: so the file must not be there then.
  if (impl->num_columns_loaded != num_columns) {
    std::error_code error;
    std::filesystem::remove(impl->DirectoryFile(), error);
    if (error) {
      return Error{ErrorCode::kIo, impl->DirectoryFile().string() +
                                       ": cannot remove this stale file: " + error.message()};
    }
  }
  if (const Status status = impl->Start(options); !status) return status.error();
  return Cluster(std::move(impl));
}

Status Cluster::Close() {
  Impl& impl = *impl_;
  impl.builders.Stop();
  Status result = Ok();
  {
    const AllGates gates(impl.regions);
    // Before their sequence numbers are noted: a number that is lost is used again.
    for (RowStore* const server : impl.servers) {
      const Status status = server->Sync();
      if (!status && result.ok()) result = status;
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
