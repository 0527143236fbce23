#include "engine/index/src/rocks/store_scan.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

std::unique_ptr<rocksdb::Iterator> ScanOf(const RocksRowStore& store,
                                          rocksdb::ColumnFamilyHandle* family) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.readahead_size = 1 << 20;
  std::unique_ptr<rocksdb::Iterator> scan(store.database().db().NewIterator(options, family));
  scan->SeekToFirst();
  return scan;
}

}  // namespace

Status ScanRows(
    const RocksRowStore& store,
    const std::function<void(std::string_view key, const Result<Versions>& versions)>& visit) {
  const std::unique_ptr<rocksdb::Iterator> scan = ScanOf(store, store.rows_family());
  for (; scan->Valid(); scan->Next()) {
    const std::string_view key = ViewOf(scan->key());
    visit(key, store.Decode(key, ViewOf(scan->value())));
  }
  return store.database().Check(scan->status(), "read its rows");
}

Status ScanEntries(const RocksRowStore& store,
                   const std::function<void(const Result<EntryKey>& entry)>& visit) {
  const std::unique_ptr<rocksdb::Iterator> scan = ScanOf(store, store.index_family());
  for (; scan->Valid(); scan->Next()) visit(DecodeEntryKey(ViewOf(scan->key())));
  return store.database().Check(scan->status(), "read its index");
}

Result<std::vector<bool>> FindEntries(const RocksRowStore& store,
                                      std::span<const std::string> entry_keys) {
  const std::vector<rocksdb::Slice> keys(entry_keys.begin(), entry_keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  store.database().db().MultiGet(options, store.index_family(), keys.size(), keys.data(),
                                 values.data(), statuses.data());
  std::vector<bool> is_there;
  for (const rocksdb::Status& status : statuses) {
    if (!status.ok() && !status.IsNotFound()) {
      return ErrorOf(status, "read its index", store.database().folder());
    }
    is_there.push_back(status.ok());
  }
  return is_there;
}

StoreSize EstimateSize(const RocksRowStore& store) {
  rocksdb::DB& db = store.database().db();
  const auto number = [&db](rocksdb::ColumnFamilyHandle* family, const std::string& property) {
    uint64_t value = 0;
    return db.GetIntProperty(family, property, &value) ? value : 0;
  };
  using Property = rocksdb::DB::Properties;
  StoreSize size;
  size.num_rows = number(store.rows_family(), Property::kEstimateNumKeys);
  size.num_entries = number(store.index_family(), Property::kEstimateNumKeys);
  for (size_t i = 0; i < 3; ++i) {
    rocksdb::ColumnFamilyHandle* const family = store.database().family(i);
    size.disk_bytes += number(family, Property::kTotalSstFilesSize);
    size.write_buffer_bytes += number(family, Property::kSizeAllMemTables);
  }
  size.cache_bytes = number(store.rows_family(), Property::kBlockCacheUsage);
  return size;
}

}  // namespace trommel::index
