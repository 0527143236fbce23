#include "engine/index/src/rocks/rocks_row_store.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
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
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/out_of_memory.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

// A cursor that is this near is faster stepped there than sought.
constexpr size_t kStepsBeforeSeek = 8;

// Moves the cursor to the first entry at the target or beyond it, which is not where it is. Returns
// how many seeks and steps it took.
size_t Forward(rocksdb::Iterator& cursor, const std::string& target) {
  for (size_t i = 1; i <= kStepsBeforeSeek; ++i) {
    cursor.Next();
    if (!cursor.Valid() || ViewOf(cursor.key()) >= target) return i;
  }
  cursor.Seek(target);
  return kStepsBeforeSeek + 1;
}

}  // namespace

template <class Write>
Status RocksRowStore::WriteBy(const DatabaseShare& share, std::string_view doing,
                              const Write& write) try {
  const rocksdb::Status status = write();
  if (!status.ok()) has_failed_.store(true, std::memory_order_release);
  return share.Check(status, doing);
} catch (const std::bad_alloc&) {
  // The log may have the write, and what is to be read not: only the next open says which.
  has_failed_.store(true, std::memory_order_release);
  return OutOfMemory();
}

template <class Write>
Status RocksRowStore::ChangeBy(const DatabaseShare& share, std::string_view doing,
                               const Write& write) {
  if (!has_mark_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mark_mutex_);
    if (!has_mark_.load(std::memory_order_relaxed)) {
      // Not synced: the log loses no write without those behind it.
      Status left = WriteBy(share, "write its mark", [&share] {
        return share.db().Put(rocksdb::WriteOptions(), SliceOf(kMarkKey), RandomName());
      });
      if (!left) return left;
      has_mark_.store(true, std::memory_order_release);
    }
  }
  return WriteBy(share, doing, write);
}

Result<std::vector<Versions>> RocksRowStore::Read(std::span<const std::string> keys) const {
  const Result<DatabaseShare> share = database_.Use();
  if (!share) return share.error();
  return ReadRows(*share, keys);
}

Result<std::vector<Versions>> RocksRowStore::ReadRows(const DatabaseShare& share,
                                                      std::span<const std::string> keys) const {
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> bytes(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  share.db().MultiGet(rocksdb::ReadOptions(), share.family(kRowsFamily), keys.size(), slices.data(),
                      bytes.data(), statuses.data());
  std::vector<Versions> rows(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].IsNotFound()) continue;
    if (!statuses[i].ok()) {
      return ErrorOf(statuses[i], "read row " + Quoted(keys[i]), folder());
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
  return Error{versions.error().code,
               folder().string() + ": row " + Quoted(key) + ": " + versions.error().message};
}

Result<bool> RocksRowStore::HasValue(uint32_t attribute, std::string_view value,
                                     const KeyRange& range) const {
  const Result<DatabaseShare> share = database_.Use();
  if (!share) return share.error();
  if (range.empty()) return false;
  const EntryRange entries = EntriesOf(ValuePrefix(attribute, value), range);
  const rocksdb::Slice end = entries.end;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> cursor(
      share->db().NewIterator(options, share->family(kIndexFamily)));
  cursor->Seek(entries.begin);
  if (const Status status = share->Check(cursor->status(), "read its index"); !status) {
    return status.error();
  }
  return cursor->Valid();
}

// Each step lands before, in or behind the range's entries of a value, here of c to e:
//
//   entries    x/a x/d x/f   y/a y/b   z/f   ...
//   cursor      1   2         3         4           1 -> 2: sought x/c
//                                                   2 -> 3: x is a value; sought what is beyond x
//                                                   3 -> 4: sought y/c, and y has no entry there
//
// A value is decided when the cursor is in or behind the range, or at another value.
Result<ValueWalk> RocksRowStore::WalkValues(uint32_t attribute,
                                            const std::optional<std::string>& after,
                                            const KeyRange& range, size_t max_values) const {
  const Result<DatabaseShare> share = database_.Use();
  if (!share) return share.error();
  ValueWalk walk;
  if (range.empty()) return walk;
  const std::string begin =
      after ? BeyondPrefix(ValuePrefix(attribute, *after)) : AttributePrefix(attribute);
  const std::string end_key = BeyondPrefix(AttributePrefix(attribute));
  const rocksdb::Slice end = end_key;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> cursor(
      share->db().NewIterator(options, share->family(kIndexFamily)));
  const size_t most_moves = 4 * max_values + 64;
  size_t num_moves = 1;
  for (cursor->Seek(begin); cursor->Valid();) {
    const std::string_view bytes = ViewOf(cursor->key());
    Result<EntryKey> entry = DecodeEntryKey(bytes);
    if (!entry) {
      return Error{entry.error().code, folder().string() + ": " + entry.error().message};
    }
    std::string prefix(bytes.substr(0, entry->prefix_bytes));
    if (entry->row_key < range.begin) {
      num_moves += Forward(*cursor, prefix + range.begin);
      // Still undecided if the cursor is at an entry of the value.
      if (cursor->Valid() && ViewOf(cursor->key()).starts_with(prefix)) continue;
    } else {
      if (range.Contains(entry->row_key)) walk.values.push_back(entry->value);
      if (walk.values.size() < max_values) {
        num_moves += Forward(*cursor, BeyondPrefix(std::move(prefix)));
      }
    }
    if (walk.values.size() == max_values || num_moves >= most_moves) {
      walk.reached = std::move(entry->value);
      break;
    }
  }
  if (const Status status = share->Check(cursor->status(), "read its index"); !status) {
    return status.error();
  }
  return walk;
}

Status RocksRowStore::Commit(std::span<const RowChange> rows, std::span<const EntryChange> entries,
                             uint64_t incarnation) {
  const Result<DatabaseShare> share = database_.Use(incarnation);
  if (!share) return share.error();
  if (Status writable = VerifyWritable(); !writable) return writable;
  rocksdb::ColumnFamilyHandle* const rows_family = share->family(kRowsFamily);
  rocksdb::ColumnFamilyHandle* const index_family = share->family(kIndexFamily);
  rocksdb::WriteBatch batch;
  rocksdb::Status status;
  for (const RowChange& row : rows) {
    if (!status.ok()) break;
    status = row.versions.empty() ? batch.Delete(rows_family, row.key)
                                  : batch.Put(rows_family, row.key, EncodeRow(row.versions));
  }
  for (const EntryChange& entry : entries) {
    if (!status.ok()) break;
    const std::string key = ValuePrefix(entry.attribute, entry.value) + entry.row_key;
    status = entry.is_added ? batch.Put(index_family, key, rocksdb::Slice())
                            : batch.Delete(index_family, key);
  }
  if (!status.ok()) return share->Check(status, "write");
  rocksdb::WriteOptions options;
  options.sync = options_.sync_writes;
  return ChangeBy(*share, "write", [&] { return share->db().Write(options, &batch); });
}

Status RocksRowStore::RemoveIndexKeys(std::span<const std::string> index_keys,
                                      uint64_t incarnation) {
  const Result<DatabaseShare> share = database_.Use(incarnation);
  if (!share) return share.error();
  if (Status writable = VerifyWritable(); !writable) return writable;
  rocksdb::WriteBatch batch;
  for (const std::string& key : index_keys) {
    const rocksdb::Status status = batch.Delete(share->family(kIndexFamily), key);
    if (!status.ok()) return share->Check(status, "remove keys of its index");
  }
  return ChangeBy(*share, "remove keys of its index",
                  [&] { return share->db().Write(rocksdb::WriteOptions(), &batch); });
}

Status RocksRowStore::RemoveEntries(uint32_t attribute) {
  const Result<DatabaseShare> share = database_.Use();
  if (!share) return share.error();
  if (Status writable = VerifyWritable(); !writable) return writable;
  const std::string begin = AttributePrefix(attribute);
  const std::string end = BeyondPrefix(begin);
  return ChangeBy(*share, "remove entries", [&] {
    return share->db().DeleteRange(rocksdb::WriteOptions(), share->family(kIndexFamily), begin,
                                   end);
  });
}

Result<StoreStamp> RocksRowStore::Stamp() const {
  const Result<DatabaseShare> share = database_.Use();
  if (!share) return share.error();
  if (const Status writable = VerifyWritable(); !writable) return writable.error();
  StoreStamp stamp;
  const Status status = share->Check(
      share->db().Get(rocksdb::ReadOptions(), SliceOf(kMarkKey), &stamp.identity), "read its mark");
  if (!status) return status.error();
  stamp.sequence = share->db().GetLatestSequenceNumber();
  return stamp;
}

Status RocksRowStore::Sync() {
  const Result<DatabaseShare> share = database_.Use();
  if (!share) return share.error();
  if (Status writable = VerifyWritable(); !writable) return writable;
  return WriteBy(*share, "sync", [&] { return share->db().FlushWAL(true); });
}

Status RocksRowStore::VerifyWritable() const {
  if (!has_failed_.load(std::memory_order_acquire)) return Ok();
  return Error{ErrorCode::kIo, folder().string() +
                                   ": cannot write: an earlier write failed; when its reason is "
                                   "gone, start the server or open the cluster again"};
}

}  // namespace trommel::index
