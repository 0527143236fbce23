// ChangeContext: what changes of a table that is used work on.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CHANGES_CHANGE_CONTEXT_H_
#define TROMMEL_ENGINE_INDEX_SRC_CHANGES_CHANGE_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/lookup_servers.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"

namespace trommel::index {

struct ChangeContext {
  uint32_t num_attributes = 0;  // of the schema
  ServerIndex& directory;
  RegionStates& regions;
  std::span<RowStore* const> servers;
  LookupServers& lookups;
  TableKeeper& keeper;
};

// A long call's progress, and whether it is to go on. Either may be null.
struct Watch {
  std::function<void(uint64_t done, uint64_t total)> progress = nullptr;
  std::function<bool()> keep_going = nullptr;

  void Report(uint64_t done, uint64_t total) const {
    if (progress != nullptr) progress(done, total);
  }
  bool MayGoOn() const { return keep_going == nullptr || keep_going(); }
};

// Returns what the server holds by the table.
std::vector<KeyRange> RangesOf(const RegionTable& table, uint32_t server);

// Is alone inside the gate of each region once, one after the other. So every operation that began
// before, by an older version, has ended. Requires that the thread is in no gate.
void DrainGates(const ChangeContext& context);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CHANGES_CHANGE_CONTEXT_H_
