// AllGates: alone inside all regions' gates: no row, entry or pair changes meanwhile.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_GATES_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_GATES_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "engine/index/src/protocol/gate.h"
#include "engine/index/src/protocol/region_states.h"

namespace trommel::index {

class AllGates {
 public:
  // In the order of regions, as all that hold several gates enter them.
  explicit AllGates(RegionStates& regions) {
    for (uint32_t i = 0; i < regions.size(); ++i) gates_.emplace_back(regions.Of(i).gate);
  }

 private:
  std::deque<Gate::Exclusive> gates_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_GATES_H_
