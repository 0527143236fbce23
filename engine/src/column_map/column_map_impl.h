// What a ColumnMap is made of, shared by its sources.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_MAP_IMPL_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_MAP_IMPL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/column_map/pair_store.h"
#include "trommel/column_map.h"
#include "trommel/one_key.h"

namespace trommel {

// Changed by several threads at a time: num_keys, by Insert and Erase.
struct MapColumn {
  std::atomic<bool> is_open{false};
  std::atomic<uint64_t> num_keys{0};
};

struct ColumnMap::Impl {
  Impl(const ColumnMapConfig& config_of_all, PairStore all_pairs)
      : config(config_of_all),
        pairs(std::move(all_pairs)),
        columns(std::make_unique<MapColumn[]>(config_of_all.num_columns)) {
    one.HashBy(config.digest);
  }

  MapColumn& At(uint32_t column) const {
    TROMMEL_CHECK(column < config.num_columns, "column is not below num_columns");
    return columns[column];
  }
  MapColumn& OpenedAt(uint32_t column) const {
    MapColumn& opened = At(column);
    TROMMEL_CHECK(opened.is_open.load(std::memory_order_relaxed), "the column is closed");
    return opened;
  }
  // Fails unless a closed column has this index.
  Status CheckClosed(uint32_t column) const;
  std::vector<uint32_t> OpenColumns() const;  // ascending
  // Sets the bits in `refused` of keys that were refused, unless it is null.
  InsertOutcome Insert(uint32_t column, Keys keys, uint64_t* refused);

  OneKey one;
  const ColumnMapConfig config;
  PairStore pairs;
  const std::unique_ptr<MapColumn[]> columns;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_MAP_IMPL_H_
