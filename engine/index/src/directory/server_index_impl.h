// ServerIndex::Impl: the versions, and how they are changed.
//
// Readers (queries, and writers of pairs while they use a column) enter a grace period, load the
// current version, and leave when they no longer use it. Changes of versions exclude each other.
// What a change replaces is kept in `versions` and `retired` until Reclaim has waited for all
// readers that may have seen it. Since writers are such readers, a column that is closed has no
// writer, either. No Step is taken with a mutex locked.
#ifndef TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_SERVER_INDEX_IMPL_H_
#define TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_SERVER_INDEX_IMPL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/index/src/directory/version.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/index/server_index.h"
#include "trommel/sync/grace_periods.h"

namespace trommel::index {

struct ServerIndex::Impl {
  // A version that is being made. Attributes are shared with the one before until they are Changed.
  struct Draft {
    std::unique_ptr<Version> version;
    std::vector<bool> is_changed;  // by attribute
  };
  struct RetiredColumn {
    std::shared_ptr<PairStructure> structure;
    uint32_t column;
    uint32_t attribute;
  };

  // A reader of the current version.
  struct Reading {
    GracePeriods::Reader reader;
    const Version* version;
  };
  Reading Read() const {
    Step("read current version");
    GracePeriods::Reader reader = grace_periods.Enter();
    // After entering, and sequentially consistent with the store in Publish: grace_periods.h.
    return {std::move(reader), current.load(std::memory_order_seq_cst)};
  }
  // Returns the column, or null if the region does not exist. Ends the program for an attribute
  // that the schema does not have.
  static RegionColumn* Find(const Version& version, ColumnName name);

  // --- Changes of versions. All require `mutex`.

  Draft BeginDraft() const;
  // Returns the attribute's columns of the draft, a copy that may be changed.
  AttributeColumns& Change(Draft& draft, uint32_t attribute) const;
  // Gives new columns to the regions at these positions, and with kServerFilters to all regions of
  // their servers, and retires those that they had.
  void Replace(Draft& draft, uint32_t attribute, std::vector<size_t> positions);
  // Opens a free column of the attribute's structure; kNoColumn if there is none, or no memory.
  uint32_t OpenColumn(AttributeColumns& columns, uint32_t attribute);
  void Publish(Draft draft);
  void Retire(const AttributeColumns& columns, uint32_t attribute, uint32_t column);
  void SetBuilt(ColumnName name, uint64_t column_id);
  // The structure refused a pair: its regions are candidates for every value from now on.
  void GiveUp(ColumnName name, uint64_t column_id);
  // A new structure for the draft's attribute; its columns are all closed.
  Status MakeStructure(Draft& draft, uint32_t attribute, uint64_t pairs_per_region);

  // Positions whose column for the attribute is that of `position`.
  static std::vector<size_t> SharersOf(const AttributeColumns& columns, size_t position);

  ServerIndexConfig config;
  uint32_t max_columns = 0;  // of kTransposed
  uint32_t num_servers = 0;  // of the first table: kServerFilters has filters for so many
  mutable GracePeriods grace_periods;
  std::atomic<const Version*> current{nullptr};

  mutable std::mutex mutex;  // over everything below, and over storing `current`
  std::vector<std::unique_ptr<const Version>> versions;  // the current one last
  std::vector<std::vector<uint32_t>> free_columns;       // by attribute: closed, of its structure
  std::vector<RetiredColumn> retired;
  uint64_t next_column_id = 1;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_SERVER_INDEX_IMPL_H_
