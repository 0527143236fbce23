// The parts of a Cluster that is open.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_CLUSTER_IMPL_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_CLUSTER_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/index/src/changes/change_context.h"
#include "engine/index/src/changes/index_changes.h"
#include "engine/index/src/changes/region_changes.h"
#include "engine/index/src/changes/server_changes.h"
#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/cluster/build_pool.h"
#include "engine/index/src/cluster/maintenance.h"
#include "engine/index/src/cluster/query_counters.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/protocol/table_writer.h"
#include "engine/index/src/rocks/embedded_store.h"
#include "engine/index/src/rocks/meta_codec.h"
#include "engine/index/src/rocks/meta_store.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/cluster.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

using RowStores = std::vector<std::unique_ptr<RocksRowStore>>;

// In this order: each part uses only those before it, so that none outlives what it uses.
struct Cluster::Impl {
  Impl(std::filesystem::path cluster_folder, MetaStore meta_store, MetaRecords records,
       const ClusterOptions& cluster_options, RowStores row_stores, ServerIndex server_index,
       std::unique_ptr<EmbeddedStore> servers_of_lookups);

  // Starts the servers' threads, but none that changes anything.
  static Result<std::unique_ptr<Impl>> Make(const std::filesystem::path& folder, MetaStore meta,
                                            MetaRecords records, const ClusterOptions& options,
                                            RowStores stores);
  // Starts builders and the background thread.
  Status StartThreads();

  std::filesystem::path DirectoryFile() const { return folder / "directory"; }
  // Removes it, so that no later open takes its columns. Fails with kIo.
  Status RemoveDirectoryFile() const;

  const std::filesystem::path folder;
  MetaStore meta;  // open, so that no other process opens the cluster
  const ClusterConfig config;
  const ClusterOptions options;
  const RowStores stores;
  const std::vector<RowStore*> servers;  // the same
  ServerIndex directory;
  RegionStates regions;
  const std::unique_ptr<EmbeddedStore> store;
  TableWriter writer;
  TableKeeper keeper;
  RegionChanges region_changes;
  ServerChanges server_changes;
  IndexChanges index_changes;
  BuildPool builders;
  QueryCounters queries;
  uint64_t num_columns_loaded = 0;
  Maintenance maintenance;  // the last: its thread uses all others

 private:
  ChangeContext Context();
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_CLUSTER_IMPL_H_
