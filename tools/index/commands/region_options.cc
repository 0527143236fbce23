#include "tools/index/commands/region_options.h"

#include <limits>
#include <utility>

#include "tools/trommel/options/value_options.h"

namespace trommel::tool {

void AddRegion(Command& command, const std::string& name, uint32_t& region_id,
               const std::string& help) {
  AddNumber(command, name, 0, std::numeric_limits<uint32_t>::max(), "", help,
            [&region_id](uint64_t number) { region_id = static_cast<uint32_t>(number); })
      .Required();
}

std::optional<index::RegionLoad> FindRegion(const index::Cluster& table, uint32_t region_id) {
  for (index::RegionLoad& load : table.GetRegionLoads()) {
    if (load.region.id == region_id) return std::move(load);
  }
  return std::nullopt;
}

}  // namespace trommel::tool
