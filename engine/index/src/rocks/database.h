// Database: a RocksDB database that is open, with its column families; what all databases of a
// cluster share; and RocksDB's failures as errors.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_DATABASE_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_DATABASE_H_

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/write_buffer_manager.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trommel/result.h"

namespace trommel::index {

// Of all databases of a cluster. Half of the memory is for blocks that were read, half for writes.
class DatabaseResources {
 public:
  DatabaseResources(uint64_t memory_bytes, uint32_t num_databases);

  // Returns options with which one of the databases is to be opened.
  rocksdb::Options MakeOptions() const;
  uint32_t num_databases() const { return num_databases_; }

 private:
  uint32_t num_databases_;
  size_t write_buffer_bytes_;  // of one column family
  int max_open_files_;         // of one database
  std::shared_ptr<rocksdb::Cache> cache_;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers_;
};

enum class OpenMode {
  kCreate,
  kOpen,
  kRead,  // writes nothing, not even what an open does otherwise
};

// Thread safety: that of rocksdb::DB.
class Database {
 public:
  // Opens the database with these column families beside the default one. Fails with kIo if there
  // is none (kCreate: if there is one), or it is open elsewhere, and with kCorrupt if it is damaged
  // or has other column families.
  static Result<Database> Open(const std::filesystem::path& folder, OpenMode mode,
                               const DatabaseResources& resources,
                               const std::vector<std::string>& families);
  // Returns whether the folder has a database, open or not.
  static bool IsIn(const std::filesystem::path& folder);

  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  rocksdb::DB& db() const { return *db_; }
  // 0: the default one; then in the order of Open.
  rocksdb::ColumnFamilyHandle* family(size_t i) const { return families_[i]; }
  const std::filesystem::path& folder() const { return folder_; }

  // Returns success, or why `doing` something failed in this database.
  Status Check(const rocksdb::Status& status, std::string_view doing) const;

 private:
  explicit Database(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

// Returns why `doing` something failed in the folder. Requires that the status is not ok.
Error ErrorOf(const rocksdb::Status& status, std::string_view doing,
              const std::filesystem::path& folder);

// Returns 128 random bits as 32 hex digits: a name that nothing else has.
std::string RandomName();

inline rocksdb::Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view ViewOf(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_DATABASE_H_
