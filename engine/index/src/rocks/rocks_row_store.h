// RocksRowStore: the rows and the local index of one server in a RocksDB database. Its column
// families are `rows` (row_codec.h), `index` (entry_key.h; entries have no value), and the default
// one, which has one record: what the database is.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_ROCKS_ROW_STORE_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_ROCKS_ROW_STORE_H_

#include <rocksdb/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// Which server of which cluster a database is.
struct ServerIdentity {
  std::string cluster;  // MetaStore's cluster_id
  uint32_t server = 0;
};

struct RowStoreOptions {
  size_t num_attributes = 0;  // of the schema
  bool sync_writes = false;   // whether a commit returns only when it is on the disk
};

class RocksRowStore final : public RowStore {
 public:
  // Fails with kExists if the folder has anything in it, and with kIo.
  static Result<std::unique_ptr<RocksRowStore>> Create(const std::filesystem::path& folder,
                                                       const ServerIdentity& identity,
                                                       const RowStoreOptions& options,
                                                       const DatabaseResources& resources);
  // Fails with kCorrupt if the folder is missing or damaged or has the database of another server,
  // with kVersion if a newer program made it, and with kIo.
  static Result<std::unique_ptr<RocksRowStore>> Open(const std::filesystem::path& folder,
                                                     const ServerIdentity& identity,
                                                     const RowStoreOptions& options,
                                                     const DatabaseResources& resources);

  Result<std::vector<Versions>> Read(std::span<const std::string> keys) const override;
  Result<bool> HasValue(uint32_t attribute, std::string_view value,
                        const KeyRange& range) const override;
  // Cost: at most 4 * max_values + 64 seeks and steps in the local index, and those that the last
  // value takes. Entries that were deleted and not yet compacted are not counted.
  Result<ValueWalk> WalkValues(uint32_t attribute, const std::optional<std::string>& after,
                               const KeyRange& range, size_t max_values) const override;
  // Once a commit or Sync has failed, these three fail until the database is opened again, and
  // reads go on. The log may have the commit that failed, so the next open may find it done; and
  // RocksDB may abort the process when it writes to a log that has failed.
  Status Commit(std::span<const RowChange> rows, std::span<const EntryChange> entries) override;
  Result<StoreStamp> Stamp() const override;
  Status Sync() override;

  // Returns the versions in these bytes, the row's value in `rows`.
  Result<Versions> Decode(std::string_view key, std::string_view bytes) const;

  const Database& database() const { return database_; }
  rocksdb::ColumnFamilyHandle* rows_family() const { return database_.family(1); }
  rocksdb::ColumnFamilyHandle* index_family() const { return database_.family(2); }

 private:
  RocksRowStore(Database database, const RowStoreOptions& options)
      : database_(std::move(database)), options_(options) {}

  // Returns success, or why no write is possible any more.
  Status VerifyWritable() const;
  // Notes a write that failed. Returns success, or its reason.
  Status CheckWrite(const rocksdb::Status& status, std::string_view doing);

  const Database database_;
  const RowStoreOptions options_;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_ROCKS_ROW_STORE_H_
