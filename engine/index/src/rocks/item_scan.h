// ItemScan: a walk over a column family of a database that may stop meanwhile.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_ITEM_SCAN_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_ITEM_SCAN_H_

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/stoppable_database.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

struct StoredItem {
  std::string key;
  std::string value;
};

enum class ItemParts : uint8_t { kKeys, kKeysAndValues };

// Has the items as they were at the moment of Begin. It holds a share of the database within calls
// only, so Stop does not wait for its owner.
class ItemScan {
 public:
  // The database must outlive the scan. Fails if it is stopped.
  static Result<std::unique_ptr<ItemScan>> Begin(const StoppableDatabase& database, size_t family,
                                                 KeyRange range, ItemParts parts);
  ItemScan(const ItemScan&) = delete;
  ItemScan& operator=(const ItemScan&) = delete;
  ~ItemScan();

  // Returns the next items in the order of keys, at most max_items, and fewer if they are large;
  // none: there are no more. Fails if the database was stopped since Begin. Requires max_items > 0.
  Result<std::vector<StoredItem>> Next(size_t max_items);

 private:
  ItemScan(const StoppableDatabase& database, KeyRange range, ItemParts parts)
      : database_(database), range_(std::move(range)), end_(range_.end), parts_(parts) {}

  const StoppableDatabase& database_;
  const KeyRange range_;
  const rocksdb::Slice end_;  // of range_, for the iterator
  const ItemParts parts_;
  uint64_t incarnation_ = 0;
  std::optional<StoppableDatabase::KeptIterator> iterator_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_ITEM_SCAN_H_
