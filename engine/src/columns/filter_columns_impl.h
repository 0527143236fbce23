// What a FilterColumns is made of, shared by its sources.
#ifndef TROMMEL_ENGINE_SRC_COLUMNS_FILTER_COLUMNS_IMPL_H_
#define TROMMEL_ENGINE_SRC_COLUMNS_FILTER_COLUMNS_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_budget.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/block_store.h"
#include "engine/src/columns/transposed_rows.h"
#include "trommel/filter_columns.h"

namespace trommel {

// One column. Its mutex guards the store, the counts, and the column's bits of the rows against
// other writers; queries read those bits without it.
struct Column {
  mutable std::mutex mutex;
  std::unique_ptr<BlockStore> store;  // null: the column is closed
  uint64_t num_keys = 0;
  uint64_t num_refused_erases = 0;
  uint64_t budget_bytes = 0;  // what the budget has counted for it

  // The lock, and the store of a column that must be open.
  struct Opened {
    std::unique_lock<std::mutex> lock;
    BlockStore& store;
  };
  Opened Hold() const {
    std::unique_lock lock(mutex);
    TROMMEL_CHECK(store != nullptr, "the column is closed");
    return {std::move(lock), *store};
  }
};

struct FilterColumns::Impl {
  Impl(const ColumnsConfig& config_of_all, const Geometry& geometry_of_all, TransposedRows all_rows)
      : config(config_of_all),
        geometry(geometry_of_all),
        rows(std::move(all_rows)),
        columns(std::make_unique<Column[]>(config_of_all.num_columns)),
        budget(MemoryLimit(config_of_all.memory_limit_bytes)) {
    budget.Change(0, rows.num_bytes());
  }

  Column& At(uint32_t column) const {
    TROMMEL_CHECK(column < config.num_columns, "column is not below num_columns");
    return columns[column];
  }
  // Fails unless a closed column has this index. Requires that no lock is held.
  Status CheckIndex(uint32_t column) const;
  // Requires the column's lock.
  Status CheckClosed(uint32_t column) const;
  // Counts the bytes of an empty or loaded store for the column, and gives it its limit of side
  // memory. Fails with kOutOfMemory over the limit of all, before that takes memory, and as
  // LimitSideMemory.
  Status ReserveFor(Column& column, BlockStore& store);

  // Updates of one chunk of a column. Insert sets the bits in `refused`, zero before, of the keys
  // that a limit refused, and returns how many there are.
  uint64_t Insert(uint32_t column, std::span<const uint64_t> digests, uint64_t* refused);
  uint64_t Erase(uint32_t column, std::span<const uint64_t> digests);  // how many were erased

  const ColumnsConfig config;
  const Geometry geometry;
  TransposedRows rows;
  const std::unique_ptr<Column[]> columns;
  MemoryBudget budget;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMNS_FILTER_COLUMNS_IMPL_H_
