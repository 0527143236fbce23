#include "engine/index/src/changes/server_changes.h"

#include <cstdint>
#include <vector>

#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/rows/row_store.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"

namespace trommel::index {

void ServerChanges::Stop(uint32_t server) {
  const auto turn = LockThroughSteps(turn_, "wait to stop server");
  Step("stop answering");
  context_.lookups.SetAnswering(server, false);
  context_.servers[server]->Stop();
}

Status ServerChanges::Start(uint32_t server) {
  const auto turn = LockThroughSteps(turn_, "wait to start server");
  RowStore& store = *context_.servers[server];
  if (!store.is_stopped()) return Ok();
  {
    // Before the store opens: its rows may have changed, and a writer that trusts the old columns
    // would erase pairs that they do not have. While it is stopped, nothing enters the new ones.
    // Between changes, the published regions of the server are the recorded ones.
    const TableChange no_change(context_.keeper);
    std::vector<ColumnName> columns;
    {
      const ServerIndex::Pin pin = context_.directory.PinVersion();
      for (const Region& region : pin.table().regions()) {
        if (region.server != server) continue;
        for (uint32_t attribute = 0; attribute < context_.num_attributes; ++attribute) {
          if (pin.state(attribute) != AttributeState::kIndexed) continue;
          columns.push_back({region.id, attribute});
        }
      }
    }
    Step("mark lost regions");
    if (!columns.empty()) context_.directory.MarkUnbuilt(columns);
  }
  if (Status status = store.Start(); !status) return status;
  Step("answer again");
  context_.lookups.SetAnswering(server, true);
  return Ok();
}

}  // namespace trommel::index
