// RocksRowStore::Create, Open and Start: the record that identifies a server's database, and its
// first mark.
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr std::string_view kRecordKey = "trommel-index server";
constexpr uint64_t kServerFormat = 1;

std::vector<std::string> Families() { return {"rows", "index"}; }

std::string EncodeIdentity(const ServerIdentity& identity) {
  std::string bytes;
  AppendNumber(kServerFormat, bytes);
  AppendString(identity.cluster, bytes);
  AppendNumber(identity.server, bytes);
  return bytes;
}

Status VerifyIdentity(std::string_view bytes, const ServerIdentity& expected,
                      const std::filesystem::path& folder) {
  ByteReader reader(bytes);
  const std::optional<uint64_t> format = reader.Number(UINT64_MAX);
  if (!format || *format == 0) {
    return Error{ErrorCode::kCorrupt, folder.string() + ": its format record is damaged"};
  }
  if (*format != kServerFormat) {
    return Error{ErrorCode::kVersion, folder.string() + ": has format " + std::to_string(*format) +
                                          " of a newer program; this one reads format " +
                                          std::to_string(kServerFormat)};
  }
  const std::optional<std::string_view> cluster = reader.String(bytes.size());
  const std::optional<uint64_t> server = cluster ? reader.Number(UINT32_MAX) : std::nullopt;
  if (!server || reader.num_left() != 0) {
    return Error{ErrorCode::kCorrupt, folder.string() + ": its format record is damaged"};
  }
  if (*cluster != expected.cluster) {
    return Error{ErrorCode::kCorrupt, folder.string() + ": belongs to another cluster (" +
                                          std::string(*cluster) + ", not " + expected.cluster +
                                          ")"};
  }
  if (*server != expected.server) {
    return Error{ErrorCode::kCorrupt, folder.string() + ": is the database of server " +
                                          std::to_string(*server) + ", not of server " +
                                          std::to_string(expected.server)};
  }
  return Ok();
}

Result<Database> OpenVerified(const std::filesystem::path& folder, const ServerIdentity& identity,
                              const DatabaseResources& resources) {
  if (!Database::IsIn(folder)) {
    return Error{ErrorCode::kCorrupt,
                 folder.string() + ": the database of server " + std::to_string(identity.server) +
                     " is missing; put its folder back, or restore the cluster"};
  }
  Result<Database> database = Database::Open(folder, OpenMode::kOpen, resources, Families());
  if (!database) return database;
  std::string bytes;
  rocksdb::Status status = database->db().Get(rocksdb::ReadOptions(), SliceOf(kRecordKey), &bytes);
  if (status.IsNotFound()) {
    return Error{ErrorCode::kCorrupt, folder.string() + ": is not the database of a server"};
  }
  if (!status.ok()) return ErrorOf(status, "read its format record", folder);
  if (const Status verified = VerifyIdentity(bytes, identity, folder); !verified) {
    return verified.error();
  }
  // A database of an older program has no mark: no stamp of it may be taken for one of a copy.
  status = database->db().Get(rocksdb::ReadOptions(), SliceOf(kMarkKey), &bytes);
  if (status.IsNotFound()) {
    status = database->db().Put(rocksdb::WriteOptions(), SliceOf(kMarkKey), RandomName());
  }
  if (!status.ok()) return ErrorOf(status, "read its mark", folder);
  return database;
}

}  // namespace

Result<std::unique_ptr<RocksRowStore>> RocksRowStore::Create(const std::filesystem::path& folder,
                                                             const ServerIdentity& identity,
                                                             const RowStoreOptions& options,
                                                             const DatabaseResources& resources) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_empty(folder, ignored)) {
    return Error{ErrorCode::kExists, folder.string() + ": exists, and is not empty"};
  }
  Result<Database> database = Database::Open(folder, OpenMode::kCreate, resources, Families());
  if (!database) return database.error();
  rocksdb::WriteOptions write;
  write.sync = true;
  rocksdb::WriteBatch batch;
  rocksdb::Status status = batch.Put(SliceOf(kRecordKey), EncodeIdentity(identity));
  if (status.ok()) status = batch.Put(SliceOf(kMarkKey), RandomName());
  if (status.ok()) status = database->db().Write(write, &batch);
  if (!status.ok()) return ErrorOf(status, "write its format record", folder);
  return std::unique_ptr<RocksRowStore>(
      new RocksRowStore(*std::move(database), identity, options, resources));
}

Result<std::unique_ptr<RocksRowStore>> RocksRowStore::Open(const std::filesystem::path& folder,
                                                           const ServerIdentity& identity,
                                                           const RowStoreOptions& options,
                                                           const DatabaseResources& resources) {
  Result<Database> database = OpenVerified(folder, identity, resources);
  if (!database) return database.error();
  return std::unique_ptr<RocksRowStore>(
      new RocksRowStore(*std::move(database), identity, options, resources));
}

std::unique_ptr<RocksRowStore> RocksRowStore::Stopped(const std::filesystem::path& folder,
                                                      const ServerIdentity& identity,
                                                      const RowStoreOptions& options,
                                                      const DatabaseResources& resources,
                                                      const Error& reason) {
  return std::unique_ptr<RocksRowStore>(
      new RocksRowStore(folder, identity, options, resources, reason));
}

Status RocksRowStore::Start() {
  return database_.Start([this]() -> Result<Database> {
    // No call is under way, so no write of the last incarnation can still fail.
    has_failed_.store(false, std::memory_order_release);
    has_mark_.store(false, std::memory_order_release);
    return OpenVerified(folder(), identity_, resources_);
  });
}

}  // namespace trommel::index
