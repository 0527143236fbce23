// The statistics of one block store that holds these totals.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_STORE_STATS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_STORE_STATS_H_

#include <cstdint>

#include "engine/src/blocks/store.h"
#include "trommel/outcomes.h"

namespace trommel {

Stats StatsOf(const Store& store, const StoreTotals& totals, uint64_t num_refused_erases);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_STORE_STATS_H_
