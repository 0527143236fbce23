#include "engine/index/src/rocks/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "trommel/result.h"

namespace trommel::index {
namespace {

// Half of the files that the process may open, at least what RocksDB needs.
int FilesOfOne(uint32_t num_databases) {
  const int64_t files = std::max<int64_t>(sysconf(_SC_OPEN_MAX), 256) / 2;
  return static_cast<int>(std::clamp<int64_t>(files / num_databases, 20, 512));
}

// One column family keeps at most two write buffers, and a database has two that are written.
size_t WriteBufferOfOne(uint64_t memory_bytes, uint32_t num_databases) {
  return std::clamp<uint64_t>(memory_bytes / 2 / num_databases / 4, uint64_t{64} << 10,
                              uint64_t{64} << 20);
}

rocksdb::CompressionType BestCompression() {
  const std::vector<rocksdb::CompressionType> built_in = rocksdb::GetSupportedCompressions();
  const bool has_lz4 = std::ranges::find(built_in, rocksdb::kLZ4Compression) != built_in.end();
  return has_lz4 ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
}

ErrorCode CodeOf(const rocksdb::Status& status) {
  if (status.IsCorruption()) return ErrorCode::kCorrupt;
  if (status.IsNotSupported()) return ErrorCode::kVersion;
  if (status.IsMemoryLimit()) return ErrorCode::kOutOfMemory;
  return ErrorCode::kIo;
}

bool Says(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether another process, or this one, has the database's lock. Not by the word alone, which may
// be part of a folder's name.
bool IsOfLock(std::string_view reason) {
  return Says(reason, "While lock file") || Says(reason, "lock hold by current process");
}

}  // namespace

Error ErrorOf(const rocksdb::Status& status, std::string_view doing,
              const std::filesystem::path& folder) {
  const std::string reason = status.ToString();
  std::string message = folder.string() + ": cannot " + std::string(doing) + ": " + reason;
  if (Says(reason, "Too many open files")) {
    message += "; raise the limit of open files (ulimit -n) or use fewer servers";
  }
  std::ranges::replace(message, '\n', ' ');
  return Error{CodeOf(status), std::move(message)};
}

std::string RandomName() {
  constexpr char kHex[] = "0123456789abcdef";
  std::random_device random;
  std::string name;
  for (int i = 0; i < 32; ++i) name.push_back(kHex[random() % 16]);
  return name;
}

DatabaseResources::DatabaseResources(uint64_t memory_bytes, uint32_t num_databases)
    : num_databases_(num_databases),
      write_buffer_bytes_(WriteBufferOfOne(memory_bytes, num_databases)),
      max_open_files_(FilesOfOne(num_databases)),
      cache_(rocksdb::NewLRUCache(memory_bytes / 2)),
      write_buffers_(std::make_shared<rocksdb::WriteBufferManager>(memory_bytes / 2)) {}

rocksdb::Options DatabaseResources::MakeOptions() const {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache_;
  table.cache_index_and_filter_blocks = true;  // else they would be beside the memory's limit
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));  // for reads of rows
  table.format_version = 5;

  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = BestCompression();
  options.write_buffer_manager = write_buffers_;
  options.write_buffer_size = write_buffer_bytes_;
  options.arena_block_size = std::clamp<size_t>(write_buffer_bytes_ / 8, 16 << 10, 1 << 20);
  options.max_write_buffer_number = 2;
  options.max_open_files = max_open_files_;
  options.max_background_jobs = 2;  // of threads that all databases of the process share
  options.max_file_opening_threads = 1;
  // No log of messages. On a full disk, RocksDB with assertions (Debian's) aborts the process when
  // the second message cannot be written.
  options.info_log = std::make_shared<rocksdb::Logger>(rocksdb::HEADER_LEVEL);
  options.max_manifest_file_size = 16 << 20;
  options.manifest_preallocation_size = 64 << 10;  // of each of up to 256 databases
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

bool Database::IsIn(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "CURRENT", ignored);
}

Result<Database> Database::Open(const std::filesystem::path& folder, OpenMode mode,
                                const DatabaseResources& resources,
                                const std::vector<std::string>& families) {
  if (mode != OpenMode::kCreate && !IsIn(folder)) {
    return Error{ErrorCode::kIo, folder.string() + ": there is no database here"};
  }
  rocksdb::Options options = resources.MakeOptions();
  options.create_if_missing = mode == OpenMode::kCreate;
  options.create_missing_column_families = mode == OpenMode::kCreate;
  options.error_if_exists = mode == OpenMode::kCreate;
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors = {
      {rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions(options)}};
  for (const std::string& family : families) {
    descriptors.emplace_back(family, rocksdb::ColumnFamilyOptions(options));
  }
  Database database(folder);
  rocksdb::DB* db = nullptr;
  const rocksdb::DBOptions db_options(options);
  const rocksdb::Status status =
      mode == OpenMode::kRead
          ? rocksdb::DB::OpenForReadOnly(db_options, folder.string(), descriptors,
                                         &database.families_, &db)
          : rocksdb::DB::Open(db_options, folder.string(), descriptors, &database.families_, &db);
  database.db_.reset(db);
  if (status.ok()) return database;

  const std::string reason = status.ToString();
  if (status.IsIOError() && IsOfLock(reason)) {
    return Error{ErrorCode::kIo, folder.string() + ": another process has it open (" + reason +
                                     "); end that process first"};
  }
  Error error = ErrorOf(status, mode == OpenMode::kCreate ? "create it" : "open it", folder);
  // A file that is missing, or another set of column families, is damage: neither a failure of the
  // disk nor an argument out of range.
  if (mode != OpenMode::kCreate &&
      (status.IsPathNotFound() || status.IsInvalidArgument() || Says(reason, "No such file"))) {
    error.code = ErrorCode::kCorrupt;
  }
  return error;
}

Database::Database(Database&& other) noexcept
    : folder_(std::move(other.folder_)),
      db_(std::move(other.db_)),
      families_(std::exchange(other.families_, {})) {}

Database::~Database() {
  if (db_ == nullptr) return;
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
  db_->Close().PermitUncheckedError();
}

Status Database::Check(const rocksdb::Status& status, std::string_view doing) const {
  if (status.ok()) return Ok();
  return ErrorOf(status, doing, folder_);
}

}  // namespace trommel::index
