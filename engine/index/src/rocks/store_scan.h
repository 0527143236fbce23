// All rows and all entries of one server, for verification and statistics. A scan has them as they
// were when it began, and fails if the store stops meanwhile.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_STORE_SCAN_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_STORE_SCAN_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/result.h"

namespace trommel::index {

// Both end early when `visit` returns false.
// Calls `visit` with each row in the order of keys: its versions, or why they cannot be read.
Status ScanRows(
    const RocksRowStore& store,
    const std::function<bool(std::string_view key, const Result<Versions>& versions)>& visit);

// Calls `visit` with each entry in the order of (attribute, value, row key), or with why a key is
// none.
Status ScanEntries(const RocksRowStore& store,
                   const std::function<bool(const Result<EntryKey>& entry)>& visit);

// Returns for each of these keys of entries whether it is in the local index.
Result<std::vector<bool>> FindEntries(const RocksRowStore& store,
                                      std::span<const std::string> entry_keys);

// Estimates by the database; nothing of a store that is stopped.
struct StoreSize {
  uint64_t num_rows = 0;
  uint64_t num_entries = 0;
  uint64_t disk_bytes = 0;          // tables
  uint64_t write_buffer_bytes = 0;  // in memory
  uint64_t cache_bytes = 0;         // of the cache that all databases of the cluster share
};
StoreSize EstimateSize(const RocksRowStore& store);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_STORE_SCAN_H_
