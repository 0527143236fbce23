// The parts of a Cluster that is open.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_CLUSTER_IMPL_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_CLUSTER_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/index/src/cluster/build_pool.h"
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
  Impl(std::filesystem::path cluster_folder, MetaStore meta_store, ClusterConfig cluster_config,
       RowStores row_stores, ServerIndex server_index);

  // Starts servers and builders.
  Status Start(const ClusterOptions& options);

  std::filesystem::path DirectoryFile() const { return folder / "directory"; }

  const std::filesystem::path folder;
  const MetaStore meta;  // open, so that no other process opens the cluster
  const ClusterConfig config;
  const RowStores stores;
  const std::vector<RowStore*> servers;  // the same
  ServerIndex directory;
  RegionStates regions;
  TableWriter writer;
  std::unique_ptr<EmbeddedStore> store;
  BuildPool builders;
  uint64_t num_columns_loaded = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_CLUSTER_IMPL_H_
