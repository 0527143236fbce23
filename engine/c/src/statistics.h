// Statistics of the library's as those of the ABI.
#ifndef TROMMEL_ENGINE_C_SRC_STATISTICS_H_
#define TROMMEL_ENGINE_C_SRC_STATISTICS_H_

#include "trommel/c.h"
#include "trommel/outcomes.h"
#include "trommel/sizing.h"

namespace trommel::c_abi {

// Of one set of blocks: all but capacity and target_fpr, as of a counting filter.
inline trommel_stats StatsOf(const Stats& of, const Geometry& geometry) noexcept {
  trommel_stats stats = {};
  stats.type = TROMMEL_TYPE_COUNTING;
  stats.num_keys = of.num_keys;
  stats.num_bytes = of.num_bytes;
  stats.side_table_bytes = of.side_table_bytes;
  stats.predicted_fpr = of.predicted_fpr;
  stats.undecided_share = of.undecided_share;
  stats.num_refused_inserts = of.num_refused_inserts;
  stats.num_refused_erases = of.num_refused_erases;
  stats.num_interrupted_queries = of.num_interrupted_queries;
  stats.num_promoted = of.num_promoted;
  stats.num_blocks = geometry.num_blocks;
  stats.num_parts = 1;
  return stats;
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_STATISTICS_H_
