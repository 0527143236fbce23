// AllGates: alone inside all regions' gates: no row, entry or pair changes meanwhile.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_GATES_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_GATES_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/index/src/protocol/gate.h"
#include "engine/index/src/protocol/region_states.h"
#include "trommel/index/region_table.h"

namespace trommel::index {

class AllGates {
 public:
  // In the order of ids, as all that hold several gates enter them. Requires that the table does
  // not change meanwhile: the caller holds a TableChange.
  AllGates(RegionStates& regions, const RegionTable& table) {
    std::vector<uint32_t> ids;
    for (const Region& region : table.regions()) ids.push_back(region.id);
    std::ranges::sort(ids);
    for (const uint32_t id : ids) {
      states_.push_back(regions.Find(id));
      gates_.emplace_back(states_.back()->gate);
    }
  }

 private:
  std::vector<std::shared_ptr<RegionState>> states_;
  std::deque<Gate::Exclusive> gates_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_GATES_H_
