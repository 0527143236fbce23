#include "engine/src/blocks/store_stats.h"

#include <cmath>

namespace trommel {

Stats StatsOf(const Store& store, const StoreTotals& totals, uint64_t num_refused_erases) {
  const Geometry& geometry = store.geometry();
  const double num_blocks = static_cast<double>(geometry.num_blocks);
  // Of fingerprints: slots that are taken, and the values that keys in blocks cover.
  const bool has_fingerprints = HasFingerprints(geometry.encoding);
  const double num_combinations = has_fingerprints
                                      ? std::exp2(geometry.fingerprint_bits)
                                      : std::pow(geometry.slice_positions(), geometry.num_slices);
  const double num_slots =
      geometry.encoding == Encoding::kFingerprints16 ? kernels::kWideSlots : kernels::kNarrowSlots;
  const double num_places =
      has_fingerprints ? num_blocks * num_slots : static_cast<double>(geometry.num_positions());
  Stats stats;
  stats.num_keys = totals.num_keys;
  stats.num_bytes = geometry.num_bytes() + totals.side_table_bytes;
  stats.side_table_bytes = totals.side_table_bytes;
  stats.num_promoted = totals.tally.num_promoted;
  stats.num_refused_erases = num_refused_erases;
  stats.huge_page_bytes = store.huge_page_bytes();
  stats.fill_ratio = static_cast<double>(totals.tally.num_present) / num_places;
  stats.current_fpr = static_cast<double>(totals.tally.product_sum) / num_combinations / num_blocks;
  stats.predicted_fpr = PredictedFpr(geometry, totals.num_keys);
  return stats;
}

}  // namespace trommel
