#include "engine/index/src/changes/change_context.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/index/src/protocol/gate.h"
#include "engine/index/src/protocol/region_states.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"

namespace trommel::index {

std::vector<KeyRange> RangesOf(const RegionTable& table, uint32_t server) {
  std::vector<KeyRange> ranges;
  for (const Region& region : table.regions()) {
    if (region.server == server) ranges.push_back(region.range);
  }
  return ranges;
}

void DrainGates(const ChangeContext& context) {
  // Regions that are made meanwhile have no older operations.
  const RegionTable table = context.directory.PinVersion().table();
  for (const Region& region : table.regions()) {
    const std::shared_ptr<RegionState> state = context.regions.Find(region.id);
    if (state != nullptr) const Gate::Exclusive gate(state->gate);
  }
}

}  // namespace trommel::index
