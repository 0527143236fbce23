#include "engine/src/blocks/store_stats.h"

#include <cmath>

namespace trommel {

double UndecidedShareOf(const Geometry& geometry, const StoreFigures& figures) {
  return static_cast<double>(figures.num_undecided) / 64 / static_cast<double>(geometry.num_blocks);
}

Stats StatsOf(const Geometry& geometry, const StoreFigures& figures, uint64_t num_keys,
              uint64_t num_refused_erases) {
  return {.num_keys = num_keys,
          .num_bytes = geometry.num_bytes() + figures.side_table_bytes + figures.version_bytes,
          .side_table_bytes = figures.side_table_bytes,
          .num_promoted = figures.num_promoted,
          .num_refused_erases = num_refused_erases,
          .num_refused_inserts = figures.num_refused_inserts,
          .predicted_fpr = PredictedFpr(geometry, num_keys),
          .undecided_share = UndecidedShareOf(geometry, figures),
          .num_interrupted_queries = figures.num_interrupted_queries};
}

BlockFill FillOf(const Store& store, const kernels::Tally& tally) {
  const Geometry& geometry = store.geometry();
  const double num_blocks = static_cast<double>(geometry.num_blocks);
  // Of fingerprints: slots that are taken, and the values that keys in blocks cover.
  const bool has_fingerprints = HasFingerprints(geometry.encoding);
  const double num_combinations = has_fingerprints
                                      ? static_cast<double>(geometry.num_values())
                                      : std::pow(geometry.slice_positions(), geometry.num_slices);
  const double num_slots =
      geometry.encoding == Encoding::kFingerprints16 ? kernels::kWideSlots : geometry.slots;
  const double num_places =
      has_fingerprints ? num_blocks * num_slots : static_cast<double>(geometry.num_positions());
  return {.fill_ratio = static_cast<double>(tally.num_present) / num_places,
          .current_fpr = static_cast<double>(tally.product_sum) / num_combinations / num_blocks,
          .huge_page_bytes = store.huge_page_bytes()};
}

BlockFill MeasureFillOf(const Store& store) {
  kernels::Tally tally;
  for (size_t o = 0; o < store.num_owned_ranges(); ++o) tally += store.TallyOf(o);
  return FillOf(store, tally);
}

}  // namespace trommel
