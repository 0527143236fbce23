#include "engine/index/src/rocks/rocks_row_store.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

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

#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/row_codec.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

// A cursor that is this near is faster stepped there than sought.
constexpr int kStepsBeforeSeek = 8;

void Forward(rocksdb::Iterator& cursor, const std::string& target) {
  for (int i = 0; i < kStepsBeforeSeek; ++i) {
    cursor.Next();
    if (!cursor.Valid() || ViewOf(cursor.key()) >= target) return;
  }
  cursor.Seek(target);
}

}  // namespace

Result<std::vector<Versions>> RocksRowStore::Read(std::span<const std::string> keys) const {
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> bytes(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  database_.db().MultiGet(rocksdb::ReadOptions(), rows_family(), keys.size(), slices.data(),
                          bytes.data(), statuses.data());
  std::vector<Versions> rows(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].IsNotFound()) continue;
    if (!statuses[i].ok()) {
      return ErrorOf(statuses[i], "read row " + Quoted(keys[i]), database_.folder());
    }
    Result<Versions> versions = Decode(keys[i], ViewOf(bytes[i]));
    if (!versions) return versions.error();
    rows[i] = *std::move(versions);
  }
  return rows;
}

Result<Versions> RocksRowStore::Decode(std::string_view key, std::string_view bytes) const {
  Result<Versions> versions = DecodeRow(bytes, options_.num_attributes);
  if (versions) return versions;
  return Error{versions.error().code, database_.folder().string() + ": row " + Quoted(key) + ": " +
                                          versions.error().message};
}

Result<bool> RocksRowStore::HasValue(uint32_t attribute, std::string_view value,
                                     const KeyRange& range) const {
  if (range.empty()) return false;
  const EntryRange entries = EntriesOf(ValuePrefix(attribute, value), range);
  const rocksdb::Slice end = entries.end;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> cursor(
      database_.db().NewIterator(options, index_family()));
  cursor->Seek(entries.begin);
  if (const Status status = database_.Check(cursor->status(), "read its index"); !status) {
    return status.error();
  }
  return cursor->Valid();
}

Result<std::optional<std::string>> RocksRowStore::NextValue(uint32_t attribute,
                                                            const std::optional<std::string>& after,
                                                            const KeyRange& range) const {
  if (range.empty()) return std::optional<std::string>();
  const std::string begin =
      after ? BeyondPrefix(ValuePrefix(attribute, *after)) : AttributePrefix(attribute);
  const std::string end_key = BeyondPrefix(AttributePrefix(attribute));
  const rocksdb::Slice end = end_key;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> cursor(
      database_.db().NewIterator(options, index_family()));
  // Each step lands in the range's entries of a value, or before or behind them.
  for (cursor->Seek(begin); cursor->Valid();) {
    const std::string_view bytes = ViewOf(cursor->key());
    Result<EntryKey> entry = DecodeEntryKey(bytes);
    if (!entry) {
      return Error{entry.error().code, database_.folder().string() + ": " + entry.error().message};
    }
    if (range.Contains(entry->row_key)) return std::optional(std::move(entry->value));
    std::string prefix(bytes.substr(0, entry->prefix_bytes));
    const bool is_before = entry->row_key < range.begin;
    Forward(*cursor, is_before ? prefix + range.begin : BeyondPrefix(std::move(prefix)));
  }
  if (const Status status = database_.Check(cursor->status(), "read its index"); !status) {
    return status.error();
  }
  return std::optional<std::string>();
}

Status RocksRowStore::Commit(std::span<const RowChange> rows,
                             std::span<const EntryChange> entries) {
  if (const Status writable = VerifyWritable(); !writable) return writable;
  rocksdb::WriteBatch batch;
  rocksdb::Status status;
  for (const RowChange& row : rows) {
    if (!status.ok()) break;
    status = row.versions.empty() ? batch.Delete(rows_family(), row.key)
                                  : batch.Put(rows_family(), row.key, EncodeRow(row.versions));
  }
  for (const EntryChange& entry : entries) {
    if (!status.ok()) break;
    const std::string key = ValuePrefix(entry.attribute, entry.value) + entry.row_key;
    status = entry.is_added ? batch.Put(index_family(), key, rocksdb::Slice())
                            : batch.Delete(index_family(), key);
  }
  if (!status.ok()) return database_.Check(status, "write");
  rocksdb::WriteOptions options;
  options.sync = options_.sync_writes;
  return CheckWrite(database_.db().Write(options, &batch), "write");
}

Result<StoreStamp> RocksRowStore::Stamp() const {
  if (const Status writable = VerifyWritable(); !writable) return writable.error();
  StoreStamp stamp;
  const Status status =
      database_.Check(database_.db().GetDbIdentity(stamp.identity), "read its identity");
  if (!status) return status.error();
  stamp.sequence = database_.db().GetLatestSequenceNumber();
  return stamp;
}

Status RocksRowStore::Sync() {
  if (const Status writable = VerifyWritable(); !writable) return writable;
  return CheckWrite(database_.db().FlushWAL(true), "sync");
}

Status RocksRowStore::VerifyWritable() const {
  if (!has_failed_.load(std::memory_order_acquire)) return Ok();
  return Error{ErrorCode::kIo, database_.folder().string() +
                                   ": cannot write: an earlier write failed; when its reason is "
                                   "gone, open the cluster again"};
}

Status RocksRowStore::CheckWrite(const rocksdb::Status& status, std::string_view doing) {
  if (!status.ok()) has_failed_.store(true, std::memory_order_release);
  return database_.Check(status, doing);
}

}  // namespace trommel::index
