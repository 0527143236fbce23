// Repairs: how Verify mends what it finds. Rows are right; entries follow the rows, and columns
// follow the entries.
//
//   entry added or removed --> its column is marked unbuilt --> commit --> builders fill the column
//
// The column is marked first: then the directory is right whatever becomes of the commit, which may
// also be done although it failed.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_REPAIRS_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_REPAIRS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/cluster.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// Changes are collected, and committed a batch at a time. With Repair::kNone nothing is collected,
// marked or written.
class Repairs {
 public:
  // The directory must outlive the repairs.
  Repairs(ServerIndex& directory, Repair repair)
      : directory_(directory), is_on_(repair == Repair::kAll) {}

  // The next changes are of this store, in its present incarnation. Requires that those before are
  // committed.
  void Begin(RocksRowStore& store);

  // Each is one repair.
  void AddEntry(const EntryKey& entry) { ChangeEntry(entry, true); }
  void RemoveEntry(const EntryKey& entry) { ChangeEntry(entry, false); }
  // A key of the local index that is no entry.
  void RemoveKey(std::string_view index_key);
  // The row, and its entries of the attributes in `attributes`. Requires that no column has them.
  void RemoveRow(std::string_view key, const Versions& versions,
                 const std::vector<uint32_t>& attributes);
  // The column is to be built again. One repair, however often it is marked.
  void Mark(ColumnName column);

  // Whether there is a batch.
  bool is_full() const;
  // Marks columns, then commits changes. If it fails, the changes may have been done or not, and
  // nothing more can be committed.
  Status Commit();
  // Commits, and makes all of this store's changes durable. Fails, too, if the store has stopped
  // since Begin.
  Status Finish();

  // Marks columns alone.
  void MarkColumns();

  uint64_t num_done() const { return num_done_; }

 private:
  void ChangeEntry(const EntryKey& entry, bool is_added);
  void Note(size_t num_bytes);

  ServerIndex& directory_;
  const bool is_on_;
  RocksRowStore* store_ = nullptr;
  uint64_t incarnation_ = 0;
  bool has_changed_store_ = false;

  // The batch.
  std::vector<RowChange> rows_;
  std::vector<EntryChange> entries_;
  std::vector<std::string> index_keys_;
  uint64_t num_changes_ = 0;
  size_t num_bytes_ = 0;
  std::vector<ColumnName> columns_;

  std::unordered_set<uint64_t> marked_;  // columns, with those of the batch: at most all there are
  uint64_t num_done_ = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_REPAIRS_H_
