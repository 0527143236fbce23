#include "engine/index/src/rocks/store_scan.h"

#include <rocksdb/db.h>
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
#include "engine/index/src/rocks/item_scan.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kItemsPerStep = 256;

// Calls `visit` with all items, outside of any share: it may ask the store.
Status VisitItems(const RocksRowStore& store, size_t family, ItemParts parts,
                  const std::function<bool(const StoredItem& item)>& visit) {
  const Result<std::unique_ptr<ItemScan>> scan =
      ItemScan::Begin(store.database(), family, {}, parts);
  if (!scan) return scan.error();
  for (;;) {
    const Result<std::vector<StoredItem>> items = (*scan)->Next(kItemsPerStep);
    if (!items) return items.error();
    if (items->empty()) return Ok();
    for (const StoredItem& item : *items) {
      if (!visit(item)) return Ok();
    }
  }
}

}  // namespace

Status ScanRows(
    const RocksRowStore& store,
    const std::function<bool(std::string_view key, const Result<Versions>& versions)>& visit) {
  return VisitItems(store, kRowsFamily, ItemParts::kKeysAndValues, [&](const StoredItem& item) {
    return visit(item.key, store.Decode(item.key, item.value));
  });
}

Status ScanEntries(const RocksRowStore& store,
                   const std::function<bool(const Result<EntryKey>& entry)>& visit) {
  return VisitItems(store, kIndexFamily, ItemParts::kKeys,
                    [&](const StoredItem& item) { return visit(DecodeEntryKey(item.key)); });
}

Result<std::vector<bool>> FindEntries(const RocksRowStore& store,
                                      std::span<const std::string> entry_keys) {
  const Result<DatabaseShare> share = store.database().Use();
  if (!share) return share.error();
  const std::vector<rocksdb::Slice> keys(entry_keys.begin(), entry_keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  share->db().MultiGet(options, share->family(kIndexFamily), keys.size(), keys.data(),
                       values.data(), statuses.data());
  std::vector<bool> is_there;
  for (const rocksdb::Status& status : statuses) {
    if (!status.ok() && !status.IsNotFound()) {
      return ErrorOf(status, "read its index", store.folder());
    }
    is_there.push_back(status.ok());
  }
  return is_there;
}

StoreSize EstimateSize(const RocksRowStore& store) {
  const Result<DatabaseShare> share = store.database().Use();
  if (!share) return {};
  rocksdb::DB& db = share->db();
  const auto number = [&db](rocksdb::ColumnFamilyHandle* family, const std::string& property) {
    uint64_t value = 0;
    return db.GetIntProperty(family, property, &value) ? value : 0;
  };
  using Property = rocksdb::DB::Properties;
  StoreSize size;
  size.num_rows = number(share->family(kRowsFamily), Property::kEstimateNumKeys);
  size.num_entries = number(share->family(kIndexFamily), Property::kEstimateNumKeys);
  for (size_t i = 0; i < 3; ++i) {
    rocksdb::ColumnFamilyHandle* const family = share->family(i);
    size.disk_bytes += number(family, Property::kTotalSstFilesSize);
    size.write_buffer_bytes += number(family, Property::kSizeAllMemTables);
  }
  size.cache_bytes = number(share->family(kRowsFamily), Property::kBlockCacheUsage);
  return size;
}

}  // namespace trommel::index
