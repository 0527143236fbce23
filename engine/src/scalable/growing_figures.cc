// What a filter that grows tells of itself.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/src/scalable/growing_engine.h"

namespace trommel {
namespace {

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

GrowthForecast GrowingEngine::ForecastAt(uint64_t num_keys) const {
  return {.predicted_fpr = plan_.FprAt(num_keys), .num_bytes = plan_.BytesAt(num_keys)};
}

ScalableStats GrowingEngine::GetStats() const {
  ScalableStats stats;
  const GrowingFigures figures = store_->Figures();
  uint64_t entries_in_blocks = 0;
  for (size_t s = 0; s < num_shards(); ++s) {
    const GrowingFigures shard = store_->FiguresOf(s);
    // Digests have no false positives.
    if (shard.num_blocks != 0) entries_in_blocks += shard.num_entries;
  }
  stats.num_blocks = figures.num_blocks;
  stats.num_small_parts = static_cast<uint32_t>(figures.num_digest_shards);
  stats.least_doublings = static_cast<uint32_t>(plan_.DoublingsAt(figures.level) + 0.1);
  stats.most_doublings =
      static_cast<uint32_t>(std::ceil(plan_.DoublingsAt(figures.most_level) - 0.1));
  stats.num_entries = figures.num_entries;
  stats.load = Share(entries_in_blocks, figures.num_blocks);
  stats.undecided_share = Share(figures.undecided_bins, figures.num_bins);
  stats.side_table_bytes = figures.side_table_bytes;
  stats.num_refused_steps = figures.num_refused_growths;
  stats.num_interrupted_queries = figures.num_interrupted_queries;
  stats.predicted_fpr =
      std::min(1.0, GrowthPlan::FprOf(static_cast<double>(entries_in_blocks), plan_.num_bits()) +
                        stats.undecided_share);
  stats.num_keys = num_keys();
  stats.num_refused_inserts = figures.num_refused_inserts;
  stats.num_bytes = store_->num_bytes() + stats.side_table_bytes;
  return stats;
}

ScalableFill GrowingEngine::MeasureFill() const {
  uint64_t num_values = 0;
  for (size_t s = 0; s < num_shards(); ++s) {
    const ShardContents contents = ReadShard(s);
    if (!contents.keeps_digests) num_values += contents.keys.size();
  }
  const GrowingFigures figures = store_->Figures();
  ScalableFill fill;
  fill.current_fpr =
      std::min(1.0, GrowthPlan::FprOf(static_cast<double>(num_values), plan_.num_bits()) +
                        Share(figures.undecided_bins, figures.num_bins));
  fill.huge_page_bytes = store_->huge_page_bytes();
  fill.fill_ratio = Share(num_values, figures.num_slots);
  return fill;
}

}  // namespace trommel
