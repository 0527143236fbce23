// IndexChanges: indexes of attributes come and go while rows are written and queries are answered.
//
//   kNone --Add--> kBuilding ---------- backfill, row by row ----------> kIndexed
//     ^                |  queries are broadcast; writers maintain entries    |
//     +-- entries gone, synced -- kDropping <---------------Drop-------------+
//
// Add and Drop only record and publish the state; Finish does the work, and can be called again
// after whatever has interrupted it.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CHANGES_INDEX_CHANGES_H_
#define TROMMEL_ENGINE_INDEX_SRC_CHANGES_INDEX_CHANGES_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/index/src/changes/change_context.h"
#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/model/table_record.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// Thread safety: any thread may call anything at any time. The calling thread must be in no gate
// and hold no pin.
class IndexChanges {
 public:
  // At most rows_per_second rows are backfilled per second; 0: no limit. rows_per_sync: after so
  // many rows, what was backfilled is synced and recorded, and not done again.
  explicit IndexChanges(const ChangeContext& context, uint64_t rows_per_second = 0,
                        uint64_t rows_per_sync = 65'536)
      : context_(context), rows_per_second_(rows_per_second), rows_per_sync_(rows_per_sync) {}

  // Requires attribute < num_attributes. Both fail with kInvalidArgument unless the attribute's
  // state allows it, with kBusy while its entries are being removed, and with the record's reason.
  Status Add(uint32_t attribute);
  Status Drop(uint32_t attribute);

  // Ends what was begun: makes the entries of attributes that are kBuilding, and removes those of
  // attributes that are kDropping. One call at a time: others wait. Returns false if the watch
  // ended it. Fails with the reason of a store that failed or was lost meanwhile; then call it
  // again.
  Result<bool> Finish(const Watch& watch);

 private:
  // Where a backfill is: at the first row whose key is not before `key`; none: at no row any more.
  struct Place {
    std::optional<std::string> key;
    uint64_t num_rows = 0;  // done since the last sync
  };

  // Records and publishes the state.
  Status SetState(TableChange& change, uint32_t attribute, AttributeState state);
  // The same, if the state is as expected.
  Status End(uint32_t attribute, AttributeState expected, AttributeState state);
  Result<bool> Backfill(uint32_t attribute, const Watch& watch);
  // Makes entries up to the next sync, and records it. Returns whether it may go on.
  Result<bool> BackfillToSync(uint32_t attribute, Place& place, const Watch& watch);
  // Makes the entries of a few rows of one region.
  Status BackfillChunk(uint32_t attribute, Place& place);
  Result<bool> RemoveEntries(uint32_t attribute, const Watch& watch);
  std::vector<uint64_t> Incarnations() const;
  // Syncs all stores. Fails also if one has stopped since these were read.
  Status SyncAll(const std::vector<uint64_t>& incarnations) const;

  const ChangeContext context_;
  const uint64_t rows_per_second_;
  const uint64_t rows_per_sync_;
  std::mutex turn_;  // over Finish
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CHANGES_INDEX_CHANGES_H_
