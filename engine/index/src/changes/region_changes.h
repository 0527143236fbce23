// RegionChanges: regions are split, merged and moved to other servers while rows are written and
// queries are answered.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CHANGES_REGION_CHANGES_H_
#define TROMMEL_ENGINE_INDEX_SRC_CHANGES_REGION_CHANGES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "engine/index/src/changes/busy_regions.h"
#include "engine/index/src/changes/change_context.h"
#include "engine/index/src/changes/row_copy.h"
#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/model/table_record.h"
#include "engine/index/src/protocol/region_states.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// Thread safety: any thread may call anything at any time. The calling thread must be in no gate
// and hold no pin. All fail with kInvalidArgument for regions, servers and keys that do not fit,
// with kBusy if something else is done to the region, and with the reason of a store or of the
// record; then the table is as it was, but for a region in doubt (TableChange::Record).
class RegionChanges {
 public:
  explicit RegionChanges(const ChangeContext& context) : context_(context) {}

  struct Children {
    uint32_t low_id = 0;
    uint32_t high_id = 0;
  };
  // Divides a region at a key (none: one that divides its rows about in half), where the second
  // child begins. Rows stay where they are; the children's columns are unbuilt. Writes of the
  // region wait for the writes under way and one record.
  Result<Children> Split(uint32_t region_id, const std::optional<std::string>& key);
  // Makes one region of two neighbours on one server. Returns its id.
  Result<uint32_t> Merge(uint32_t region_id, uint32_t other_id);

  // Moves a region's rows to another server; its columns stay. One move or removal at a time:
  // others wait. Returns false if the watch ended it before the switch: then, as after a failure,
  // nothing has changed, and the rows that were copied are removed, if not now, by RemoveLeftovers.
  // Writes of the region wait for the writes under way, the copy of at most kMostLastKeys rows, one
  // sync and one record.
  Result<bool> Move(uint32_t region_id, uint32_t server, const Watch& watch);
  // Removes what moves have left at servers whose rows it is not. Returns false if the watch ended
  // it. Servers that fail are tried again by the next call; returns the first failure.
  Result<bool> RemoveLeftovers(const Watch& watch);

  // Returns whether the region is being split, merged or moved.
  bool IsBusy(uint32_t region_id) const { return busy_.Has(region_id); }

  uint64_t num_splits() const { return num_splits_; }
  uint64_t num_merges() const { return num_merges_; }
  uint64_t num_moves() const { return num_moves_; }

  static constexpr size_t kMostLastKeys = 1024;

 private:
  // A region that is to be moved.
  struct Moved {
    Region region;
    uint32_t destination;
    std::shared_ptr<RegionState> state;
  };

  // Returns the region as the current version has it.
  Result<Region> FindRegion(uint32_t region_id) const;
  std::shared_ptr<RegionState> StateOf(uint32_t region_id) const;
  // Makes the directory's version of a table. Inside the gates, because others that change versions
  // wait for it; before the record, because it may fail.
  ServerIndex::NextVersion PrepareVersion(const RegionTable& table) const;
  Status VerifyMove(const Region& region, uint32_t server) const;
  // Both return false if the watch ended them.
  Result<bool> PrepareDestination(const Moved& moved, const Watch& watch);
  Result<bool> CopySnapshot(const Moved& moved, RowCopy& copy, const Watch& watch);
  Result<bool> CopyChanged(const Moved& moved, RowCopy& copy, const Watch& watch);
  // Begins a change in which no query can still look for rows by the entries of an index that is
  // being dropped: a copy has none. In its lifetime no other index begins to be dropped.
  void BeginSwitch(std::optional<TableChange>& change);
  // The end of a move, alone in the region's gate.
  Status Switch(const Moved& moved, RowCopy& copy);
  // Removes one leftover, and then its record.
  Result<bool> Remove(const Leftover& leftover, const Watch& watch);

  const ChangeContext context_;
  BusyRegions busy_;
  std::mutex copies_;  // over copying and removing rows
  std::atomic<uint64_t> num_splits_ = 0;
  std::atomic<uint64_t> num_merges_ = 0;
  std::atomic<uint64_t> num_moves_ = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CHANGES_REGION_CHANGES_H_
