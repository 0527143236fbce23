// RoundPlan: what the threads of one round, or of a process that is killed, do.
#ifndef TROMMEL_TESTS_INDEX_SOAK_ROUND_PLAN_H_
#define TROMMEL_TESTS_INDEX_SOAK_ROUND_PLAN_H_

#include <cstdint>
#include <string>

#include "index/soak/rows.h"
#include "trommel/index/cluster.h"

namespace trommel::index::soak {

struct RoundPlan {
  uint64_t seed = 0;               // of the round
  uint32_t num_region_admins = 1;  // threads that split, merge and move
  bool has_stops = false;          // a thread stops and starts servers
  bool has_index_changes = false;  // a thread adds and drops indexes
  WriteMix writes;                 // smaller ones make structures shrink, larger ones grow
  bool is_closed = true;           // at the end of the round; else the cluster just goes
  ClusterOptions options;          // of Open

  // Returns whether each change of a region must succeed: nothing else changes regions.
  bool is_alone() const {
    return num_region_admins == 1 && options.rules.split_bytes == 0 &&
           options.rules.split_writes_per_second == 0 && !options.rules.is_balanced;
  }
  // Returns a line that names all choices.
  std::string Text() const;
};

// Returns the structure of the directory in a soak of this seed.
Structure StructureOf(uint64_t seed);
// Returns the plan of a round of a soak.
RoundPlan PlanOf(uint64_t seed, uint64_t round);
// Returns the plan of a process that is killed.
RoundPlan KillPlanOf(uint64_t seed);

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_ROUND_PLAN_H_
