#include "engine/index/src/rocks/item_scan.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kMostBytesPerStep = size_t{4} << 20;

}  // namespace

Result<std::unique_ptr<ItemScan>> ItemScan::Begin(const StoppableDatabase& database, size_t family,
                                                  KeyRange range, ItemParts parts) {
  const Result<DatabaseShare> share = database.Use();
  if (!share) return share.error();
  std::unique_ptr<ItemScan> scan(new ItemScan(database, std::move(range), parts));
  rocksdb::ReadOptions options;
  options.fill_cache = false;  // a scan would replace what lookups need
  options.readahead_size = 1 << 20;
  if (!scan->range_.end.empty()) options.iterate_upper_bound = &scan->end_;
  std::unique_ptr<rocksdb::Iterator> iterator(
      share->db().NewIterator(options, share->family(family)));
  if (!scan->range_.empty()) iterator->Seek(scan->range_.begin);
  scan->incarnation_ = share->incarnation();
  scan->iterator_ = database.Keep(*share, std::move(iterator));
  return scan;
}

ItemScan::~ItemScan() {
  if (iterator_) database_.Release(*iterator_);
}

Result<std::vector<StoredItem>> ItemScan::Next(size_t max_items) {
  const Result<DatabaseShare> share = database_.Use(incarnation_);
  if (!share) return share.error();
  rocksdb::Iterator& iterator = ***iterator_;
  std::vector<StoredItem> items;
  size_t num_bytes = 0;
  for (; iterator.Valid(); iterator.Next()) {
    if (items.size() == max_items || num_bytes >= kMostBytesPerStep) return items;
    StoredItem& item = items.emplace_back();
    item.key = ViewOf(iterator.key());
    if (parts_ == ItemParts::kKeysAndValues) item.value = ViewOf(iterator.value());
    num_bytes += item.key.size() + item.value.size();
  }
  if (const Status status = share->Check(iterator.status(), "read it"); !status) {
    return status.error();
  }
  return items;
}

}  // namespace trommel::index
