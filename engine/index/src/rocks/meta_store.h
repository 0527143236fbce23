// MetaStore: the database `meta` of a cluster: what the cluster is, and its region table. It is
// what makes a folder a cluster: its records are written last, when all servers are there.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_STORE_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_STORE_H_

#include <cstddef>
#include <filesystem>
#include <utility>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_codec.h"
#include "trommel/index/region_table.h"
#include "trommel/result.h"

namespace trommel::index {

// Returns where server i's database is: server-000 and so on.
std::filesystem::path ServerFolder(const std::filesystem::path& cluster, size_t server);

struct MetaRecords {
  ClusterRecord cluster;
  RegionTable table;
};

class MetaStore {
 public:
  // Makes the folder with an empty database, which keeps other processes out. Fails with kExists if
  // the folder has anything in it, and with kIo.
  static Result<MetaStore> Create(const std::filesystem::path& cluster);
  // Fails with kIo if there is no cluster or it is open elsewhere, and with kCorrupt if its
  // creation was interrupted.
  static Result<MetaStore> Open(const std::filesystem::path& cluster);

  // Writes both records, durable and in one write.
  Status Write(const MetaRecords& records);
  // Fails with kVersion if a newer program made the cluster, and with kCorrupt if a record is
  // missing or damaged.
  Result<MetaRecords> Read() const;

 private:
  explicit MetaStore(Database database) : database_(std::move(database)) {}

  Database database_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_STORE_H_
