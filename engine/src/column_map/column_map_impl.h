// What a ColumnMap is made of, shared by its sources.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_MAP_IMPL_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_MAP_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/column_map/pair_store.h"
#include "engine/src/sync/running_figure.h"
#include "trommel/column_map.h"

namespace trommel {

// The mutex orders operations of a column. It is taken before locks of the store; several columns'
// are taken in ascending order.
struct MapColumn {
  mutable std::mutex mutex;
  bool is_open = false;
  uint64_t num_keys = 0;
};

struct ColumnMap::Impl {
  Impl(const ColumnMapConfig& config_of_all, PairStore all_pairs)
      : config(config_of_all),
        pairs(std::move(all_pairs)),
        columns(std::make_unique<MapColumn[]>(config_of_all.num_columns)) {}

  MapColumn& At(uint32_t column) const {
    TROMMEL_CHECK(column < config.num_columns, "column is not below num_columns");
    return columns[column];
  }
  std::unique_lock<std::mutex> HoldOpen(const MapColumn& column) const {
    std::unique_lock lock(column.mutex);
    TROMMEL_CHECK(column.is_open, "the column is closed");
    return lock;
  }
  // The locks of these columns, which are held for the lifetime of what is returned.
  std::vector<std::unique_lock<std::mutex>> HoldAll(std::span<const uint32_t> of) const;
  // Fails unless a closed column has this index. Requires the column's lock, if it has one.
  Status CheckIndex(uint32_t column) const;
  Status CheckClosed(uint32_t column) const;

  const ColumnMapConfig config;
  PairStore pairs;
  const std::unique_ptr<MapColumn[]> columns;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_MAP_IMPL_H_
