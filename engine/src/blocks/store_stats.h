// The statistics of one store: what it keeps account of, and what a pass measures.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_STORE_STATS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_STORE_STATS_H_

#include <cstdint>

#include "engine/src/blocks/store.h"
#include "kernels/kernels.h"
#include "trommel/outcomes.h"

namespace trommel {

// `figures` are the store's, at some moment.
Stats StatsOf(const Geometry& geometry, const StoreFigures& figures, uint64_t num_keys,
              uint64_t num_refused_erases);
// The share of queries of non-members beside writers that only the side table could decide.
double UndecidedShareOf(const Geometry& geometry, const StoreFigures& figures);
// `tally` is that of all blocks.
BlockFill FillOf(const Store& store, const kernels::Tally& tally);
// By a pass over all blocks. Thread safety: no updates meanwhile.
BlockFill MeasureFillOf(const Store& store);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_STORE_STATS_H_
