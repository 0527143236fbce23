// Plans: which regions are to be split, and which are to move, so that servers have even shares.
// Pure functions.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CHANGES_BALANCE_H_
#define TROMMEL_ENGINE_INDEX_SRC_CHANGES_BALANCE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trommel/index/region_table.h"

namespace trommel::index {

// A region, as plans see it.
struct LoadedRegion {
  Region region;
  uint64_t num_bytes = 0;
  double writes_per_second = 0;
  bool is_busy = false;  // not to be moved
};

struct RegionMove {
  uint32_t region_id = 0;
  uint32_t server = 0;
};

// A server's load is its share of the regions plus its share of the writes, each in units of an
// even share: 1 and 1 if all are even. Regions move to the server of the least load, from that of
// the greatest which has one whose move makes the greater of the two loads less, by more than a
// thousandth. runs: by server, whether it takes part.
std::vector<RegionMove> PlanMoves(std::span<const LoadedRegion> regions,
                                  const std::vector<bool>& runs, bool by_writes);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CHANGES_BALANCE_H_
