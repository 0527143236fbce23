#include "engine/index/src/model/table_record.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

Status Validate(const TableRecord& record, uint32_t num_servers) {
  const auto refuse = [](std::string message) -> Status {
    return Error{ErrorCode::kCorrupt, std::move(message)};
  };
  for (const Region& region : record.table.regions()) {
    if (region.id >= record.next_region_id) {
      return refuse("region " + std::to_string(region.id) + " is not below the next region's id, " +
                    std::to_string(record.next_region_id));
    }
    if (region.server >= num_servers) {
      return refuse("region " + std::to_string(region.id) + " is on server " +
                    std::to_string(region.server) + " of " + std::to_string(num_servers));
    }
  }
  for (const Leftover& leftover : record.leftovers) {
    if (leftover.server >= num_servers) {
      return refuse("a leftover is on server " + std::to_string(leftover.server) + " of " +
                    std::to_string(num_servers));
    }
    if (leftover.range.empty()) return refuse("a leftover has no keys");
    for (size_t i = record.table.Find(leftover.range.begin); i < record.table.size(); ++i) {
      const Region& region = record.table[i];
      if (Intersection(region.range, leftover.range).empty()) break;
      if (region.server == leftover.server) {
        return refuse("server " + std::to_string(region.server) + " has a leftover in region " +
                      std::to_string(region.id) + ", which is its own");
      }
    }
  }
  return Ok();
}

}  // namespace trommel::index
