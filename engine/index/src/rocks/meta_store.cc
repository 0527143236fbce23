#include "engine/index/src/rocks/meta_store.h"

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_codec.h"
#include "trommel/index/region_table.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr std::string_view kClusterKey = "trommel-index cluster";
constexpr std::string_view kTableKey = "trommel-index regions";
constexpr uint64_t kMetaMemoryBytes = 2 << 20;

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
  if (status.ok()) status = batch.Put(SliceOf(kTableKey), EncodeTable(records.table));
  rocksdb::WriteOptions options;
  options.sync = true;
  if (status.ok()) status = database_.db().Write(options, &batch);
  return database_.Check(status, "write the region table");
}

Result<MetaRecords> MetaStore::Read() const {
  const auto read = [this](std::string_view key, std::string& bytes) {
    return database_.db().Get(rocksdb::ReadOptions(), SliceOf(key), &bytes);
  };
  const auto in_folder = [this](const Error& error) {
    return Error{error.code, database_.folder().string() + ": " + error.message};
  };
  std::string bytes;
  rocksdb::Status status = read(kClusterKey, bytes);
  if (status.IsNotFound()) return Interrupted(database_.folder().parent_path());
  if (!status.ok()) return ErrorOf(status, "read it", database_.folder());
  Result<ClusterRecord> cluster = DecodeCluster(bytes);
  if (!cluster) return in_folder(cluster.error());
  status = read(kTableKey, bytes);
  if (!status.ok() && !status.IsNotFound()) return ErrorOf(status, "read it", database_.folder());
  if (status.IsNotFound()) bytes.clear();
  Result<RegionTable> table = DecodeTable(bytes, cluster->config.num_servers);
  if (!table) return in_folder(table.error());
  return MetaRecords{.cluster = *std::move(cluster), .table = *std::move(table)};
}

}  // namespace trommel::index
