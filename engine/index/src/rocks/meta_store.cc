#include "engine/index/src/rocks/meta_store.h"

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_codec.h"
#include "engine/index/src/rocks/table_record_codec.h"
#include "engine/index/src/rows/out_of_memory.h"
#include "engine/index/src/rows/table_recorder.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr std::string_view kClusterKey = "trommel-index cluster";
constexpr std::string_view kTableKey = "trommel-index regions";
constexpr uint64_t kMetaMemoryBytes = 2 << 20;
constexpr std::string_view kWriting = "write the region table";

rocksdb::WriteOptions Synced() {
  rocksdb::WriteOptions options;
  options.sync = true;
  return options;
}

rocksdb::Status Get(const Database& database, std::string_view key, std::string& bytes) {
  return database.db().Get(rocksdb::ReadOptions(), SliceOf(key), &bytes);
}

std::filesystem::path MetaFolder(const std::filesystem::path& cluster) { return cluster / "meta"; }

Error Interrupted(const std::filesystem::path& cluster) {
  return Error{
      ErrorCode::kCorrupt,
      cluster.string() +
          ": the creation of this cluster was interrupted (its database meta, which is "
          "written last, is not complete); remove the folder and create the cluster again"};
}

}  // namespace

std::filesystem::path ServerFolder(const std::filesystem::path& cluster, size_t server) {
  const std::string number = std::to_string(server);
  return cluster /
         ("server-" + std::string(number.size() < 3 ? 3 - number.size() : 0, '0') + number);
}

Result<MetaStore> MetaStore::Create(const std::filesystem::path& cluster) {
  std::error_code error;
  std::filesystem::create_directories(cluster, error);
  const bool is_empty = !error && std::filesystem::is_empty(cluster, error);
  if (error) {
    return Error{ErrorCode::kIo, cluster.string() + ": cannot make the folder: " + error.message()};
  }
  if (!is_empty) {
    return Error{ErrorCode::kExists,
                 cluster.string() + ": the folder of a new cluster must be empty"};
  }
  Result<Database> database = Database::Open(MetaFolder(cluster), OpenMode::kCreate,
                                             DatabaseResources(kMetaMemoryBytes, 1), {});
  if (!database) return database.error();
  return MetaStore(*std::move(database));
}

Result<MetaStore> MetaStore::Open(const std::filesystem::path& cluster) {
  if (!Database::IsIn(MetaFolder(cluster))) {
    std::error_code ignored;
    if (std::filesystem::exists(MetaFolder(cluster), ignored)) return Interrupted(cluster);
    if (std::filesystem::exists(ServerFolder(cluster, 0), ignored)) {
      return Error{ErrorCode::kCorrupt,
                   cluster.string() + ": its database meta is missing; put its folder back"};
    }
    return Error{ErrorCode::kIo, cluster.string() + ": there is no cluster here"};
  }
  Result<Database> database = Database::Open(MetaFolder(cluster), OpenMode::kOpen,
                                             DatabaseResources(kMetaMemoryBytes, 1), {});
  if (!database) return database.error();
  return MetaStore(*std::move(database));
}

Status MetaStore::Write(const MetaRecords& records) {
  rocksdb::WriteBatch batch;
  rocksdb::Status status = batch.Put(SliceOf(kClusterKey), EncodeCluster(records.cluster));
  if (status.ok()) status = batch.Put(SliceOf(kTableKey), EncodeTableRecord(records.table));
  if (status.ok()) status = database_->db().Write(Synced(), &batch);
  return database_->Check(status, kWriting);
}

Result<MetaRecords> MetaStore::Read() {
  if (const Status status = Reopen(); !status) return status.error();
  const auto in_folder = [this](const Error& error) {
    return Error{error.code, folder_.string() + ": " + error.message};
  };
  std::string bytes;
  rocksdb::Status status = Get(*database_, kClusterKey, bytes);
  if (status.IsNotFound()) return Interrupted(folder_.parent_path());
  if (!status.ok()) return ErrorOf(status, "read it", folder_);
  Result<ClusterRecord> cluster = DecodeCluster(bytes);
  if (!cluster) return in_folder(cluster.error());
  status = Get(*database_, kTableKey, bytes);
  if (!status.ok() && !status.IsNotFound()) return ErrorOf(status, "read it", folder_);
  if (status.IsNotFound()) bytes.clear();
  const auto decode = cluster->format == 1 ? DecodeTableRecord1 : DecodeTableRecord;
  Result<TableRecord> table = decode(bytes, cluster->config);
  if (!table) return in_folder(table.error());
  return MetaRecords{.cluster = *std::move(cluster), .table = *std::move(table)};
}

RecordOutcome MetaStore::Record(const TableRecord& record) {
  if (Status status = Reopen(); !status) {
    return {.recorded = Recorded::kUnknown, .status = std::move(status)};
  }
  const std::string bytes = EncodeTableRecord(record);
  try {
    Status status = WriteTable(bytes);
    if (status.ok()) return {};
    const Recorded recorded = FindOutcome(bytes);
    if (recorded == Recorded::kDone) return {};
    return {.recorded = recorded, .status = std::move(status)};
  } catch (const std::bad_alloc&) {
    database_.reset();  // the next call opens it, and so reads what the log has
    return {.recorded = Recorded::kUnknown, .status = OutOfMemory()};
  }
}

Status MetaStore::Reopen() {
  if (database_) return Ok();
  Result<Database> database =
      Database::Open(folder_, OpenMode::kOpen, DatabaseResources(kMetaMemoryBytes, 1), {});
  if (!database) return database.error();
  database_.emplace(*std::move(database));
  return Ok();
}

Status MetaStore::WriteTable(const std::string& bytes) {
  std::string cluster_bytes;
  rocksdb::Status status = Get(*database_, kClusterKey, cluster_bytes);
  if (!status.ok()) return ErrorOf(status, kWriting, folder_);
  rocksdb::WriteBatch batch;
  if (ByteReader(cluster_bytes).Number(UINT64_MAX) == 1) {
    const Result<ClusterRecord> cluster = DecodeCluster(cluster_bytes);
    if (!cluster) return cluster.error();
    status = batch.Put(SliceOf(kClusterKey), EncodeCluster(*cluster));
  }
  if (status.ok()) status = batch.Put(SliceOf(kTableKey), bytes);
  if (status.ok()) status = database_->db().Write(Synced(), &batch);
  if (fault_ == RecordFault::kDone) status = rocksdb::Status::IOError("the test says so");
  return database_->Check(status, kWriting);
}

Recorded MetaStore::FindOutcome(const std::string& bytes) {
  // The log tells. Closed first, because closing may still write what a failed write left in
  // memory.
  database_.reset();
  std::string found;
  if (Reopen().ok()) {
    if (!Get(*database_, kTableKey, found).ok()) {
      database_.reset();
      return Recorded::kUnknown;
    }
    // What an open finds in the log it writes to a table, synced: so this is durable.
    return found == bytes ? Recorded::kDone : Recorded::kNotDone;
  }
  // On a disk that is full, an open fails, but one that writes nothing may not. What it does not
  // find in the log no later open finds; what it finds may not be durable.
  const Result<Database> database =
      Database::Open(folder_, OpenMode::kRead, DatabaseResources(kMetaMemoryBytes, 1), {});
  if (!database || !Get(*database, kTableKey, found).ok() || found == bytes) {
    return Recorded::kUnknown;
  }
  return Recorded::kNotDone;
}

}  // namespace trommel::index
