// Regions by number, for the commands that change them.
#ifndef TROMMEL_TOOLS_INDEX_REGION_OPTIONS_H_
#define TROMMEL_TOOLS_INDEX_REGION_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "tools/trommel/options/command_line.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {

// An argument that must be given: a region's number.
void AddRegion(Command& command, const std::string& name, uint32_t& region_id,
               const std::string& help);

// The region with this number, if there is one. Cost: that of Cluster::GetRegionLoads.
std::optional<index::RegionLoad> FindRegion(const index::Cluster& table, uint32_t region_id);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_REGION_OPTIONS_H_
