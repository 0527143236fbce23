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
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/stoppable_database.h"
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

// Column families, as Database::family counts them.
inline constexpr size_t kRowsFamily = 1;
inline constexpr size_t kIndexFamily = 2;

// The key in the default family of the mark of the database: a random name that the first write of
// each open replaces before it does anything else. So databases that were copies of each other have
// different marks once one of them was written to, though they may have as many writes; and a
// database with a mark and a sequence number has exactly the rows that it had when it had them
// before. An open that writes nothing leaves the mark as it is.
inline constexpr std::string_view kMarkKey = "trommel-index mark";

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
  // Returns a store that is stopped, because Open failed for this reason, which its calls give.
  static std::unique_ptr<RocksRowStore> Stopped(const std::filesystem::path& folder,
                                                const ServerIdentity& identity,
                                                const RowStoreOptions& options,
                                                const DatabaseResources& resources,
                                                const Error& reason);

  Result<std::vector<Versions>> Read(std::span<const std::string> keys) const override;
  Result<bool> HasValue(uint32_t attribute, std::string_view value,
                        const KeyRange& range) const override;
  // Cost: at most 4 * max_values + 64 seeks and steps in the local index, and those that the last
  // value takes. Entries that were deleted and not yet compacted are not counted.
  Result<ValueWalk> WalkValues(uint32_t attribute, const std::optional<std::string>& after,
                               const KeyRange& range, size_t max_values) const override;
  // Once one of the next five has failed to write, also for want of memory, they fail until the
  // database is opened again (Stop and Start), and reads go on. The log may have the commit that
  // failed, so the next open may find it done; and RocksDB may abort the process when it writes to
  // a log that has failed. If one throws std::bad_alloc, it has written nothing.
  Status Commit(std::span<const RowChange> rows, std::span<const EntryChange> entries,
                uint64_t incarnation) override;
  // Removes keys of the local index, whatever they are: also those that are no entries.
  Status RemoveIndexKeys(std::span<const std::string> index_keys, uint64_t incarnation);
  Status RemoveEntries(uint32_t attribute) override;
  // The identity is the database's mark.
  Result<StoreStamp> Stamp() const override;
  Status Sync() override;

  Result<std::unique_ptr<RowScan>> Scan(const KeyRange& range) const override;
  Result<std::optional<std::string>> MiddleKey(const KeyRange& range) const override;
  // The rows of the range and their share of all entries: entries are in the order of values, so
  // those of a range are spread over the index. Up to 1,000 rows are measured; more are estimated,
  // well if most are in tables; of rows in memory, the estimate may be far off.
  Result<uint64_t> EstimateBytes(const KeyRange& range) const override;

  // Waits for no scan, and for a lookup until it looks at its deadline again. What was committed is
  // still there after Start, unless the folder's files were replaced.
  void Stop() override { database_.Stop(); }
  // Fails as Open does, or with kInvalidArgument if the store is not stopped.
  Status Start() override;
  bool is_stopped() const override { return database_.is_stopped(); }
  uint64_t incarnation() const override { return database_.incarnation(); }

  // As Read, for a thread that holds a share.
  Result<std::vector<Versions>> ReadRows(const DatabaseShare& share,
                                         std::span<const std::string> keys) const;
  // Returns the versions in these bytes, the row's value in `rows`.
  Result<Versions> Decode(std::string_view key, std::string_view bytes) const;

  const StoppableDatabase& database() const { return database_; }
  const std::filesystem::path& folder() const { return database_.folder(); }

 private:
  RocksRowStore(Database database, ServerIdentity identity, const RowStoreOptions& options,
                const DatabaseResources& resources)
      : identity_(std::move(identity)),
        options_(options),
        resources_(resources),
        database_(std::move(database)) {}
  RocksRowStore(const std::filesystem::path& folder, ServerIdentity identity,
                const RowStoreOptions& options, const DatabaseResources& resources,
                const Error& reason)
      : identity_(std::move(identity)),
        options_(options),
        resources_(resources),
        database_(folder, reason) {}

  // Returns success, or why no write is possible any more.
  Status VerifyWritable() const;
  // Writes, and notes if that failed. Returns success, or the reason.
  template <class Write>
  Status WriteBy(const DatabaseShare& share, std::string_view doing, const Write& write);
  // Leaves this incarnation's mark if it has not, then writes as WriteBy does. For all that takes
  // sequence numbers.
  template <class Write>
  Status ChangeBy(const DatabaseShare& share, std::string_view doing, const Write& write);

  const ServerIdentity identity_;
  const RowStoreOptions options_;
  const DatabaseResources resources_;
  StoppableDatabase database_;
  std::atomic<bool> has_failed_ = false;  // of this incarnation
  std::atomic<bool> has_mark_ = false;    // of this incarnation
  std::mutex mark_mutex_;                 // over leaving it: no other write comes before it
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_ROCKS_ROW_STORE_H_
