// What a filter that doubles tells of itself.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/src/scalable/doubling_engine.h"
#include "kernels/fingerprint_layout.h"

namespace trommel {
namespace {

// Sums over blocks, weighted by the share of digests that a block has.
struct WeightedFill {
  double matches = 0;  // the chance that a non-member matches an entry
  double fill = 0;     // codes per slot
};

// Of the block whose codes these are. No key matches two of them.
WeightedFill FillOfBlock(std::span<const uint16_t> codes) {
  WeightedFill fill;
  // A code of n bits ends in a 1 at bit 15 - n: its lowest bit is 2^(15 - n).
  for (const uint32_t code : codes) {
    fill.matches += static_cast<double>(code & (0 - code)) / (1 << 15);
  }
  fill.fill = static_cast<double>(codes.size()) / kernels::kWideSlots;
  return fill;
}

// Of one shard, as a share of it.
WeightedFill FillOfShard(const ShardContents& contents) {
  WeightedFill sum;
  if (contents.depth == 0) return sum;
  const double share = std::ldexp(1.0, -static_cast<int>(contents.depth));
  const uint64_t num_before_split = uint64_t{1} << contents.depth;
  const uint64_t num_added = contents.block_sizes.size() - num_before_split;
  size_t begin = 0;
  for (size_t b = 0; b < contents.block_sizes.size(); ++b) {
    const WeightedFill block =
        FillOfBlock(std::span(contents.codes).subspan(begin, contents.block_sizes[b]));
    // Blocks that have been split stand first, and own half as much.
    const double own = b < 2 * num_added ? share / 2 : share;
    sum.matches += own * block.matches;
    sum.fill += own * block.fill;
    begin += contents.block_sizes[b];
  }
  return sum;
}

}  // namespace

GrowthForecast DoublingEngine::ForecastAt(uint64_t num_keys) const {
  return {.predicted_fpr = plan_.FprAt(num_keys), .num_bytes = plan_.BytesAt(num_keys)};
}

ScalableStats DoublingEngine::GetStats() const {
  ScalableStats stats;
  DoublingStats& doubling = stats.doubling;
  doubling.least_doublings = GrowingStore::kMostDoublings;
  const double first_blocks = std::ldexp(1.0, static_cast<int>(plan_.first_bits()));
  uint64_t entries_in_blocks = 0;
  for (size_t s = 0; s < GrowingStore::kNumShards; ++s) {
    const GrowingFigures shard = store_->FiguresOf(s);
    doubling.num_entries += shard.num_entries;
    doubling.side_table_bytes += shard.side_table_bytes;
    doubling.num_refused_steps += shard.num_refused_growths;
    if (shard.num_blocks == 0) {  // digests have no false positives
      doubling.num_small_parts += 1;
      doubling.least_doublings = 0;
      continue;
    }
    entries_in_blocks += shard.num_entries;
    doubling.num_blocks += shard.num_blocks;
    const auto num_blocks = static_cast<double>(shard.num_blocks);
    const double undecided = static_cast<double>(shard.num_undecided) / num_blocks;
    const double matches =
        DoublingPlan::FprOf(static_cast<double>(shard.num_entries), num_blocks, first_blocks);
    doubling.undecided_share += undecided / GrowingStore::kNumShards;
    stats.predicted_fpr += std::min(1.0, matches + undecided) / GrowingStore::kNumShards;
    const double doublings = std::log2(num_blocks / first_blocks);
    doubling.least_doublings =
        std::min(doubling.least_doublings, static_cast<uint32_t>(std::floor(doublings)));
    doubling.most_doublings =
        std::max(doubling.most_doublings, static_cast<uint32_t>(std::ceil(doublings)));
  }
  if (doubling.num_blocks != 0) {
    doubling.load =
        static_cast<double>(entries_in_blocks) / static_cast<double>(doubling.num_blocks);
  }
  stats.num_keys = num_keys();
  stats.num_bytes = store_->num_bytes() + doubling.side_table_bytes;
  doubling.num_interrupted_queries = store_->Figures().num_interrupted_queries;
  return stats;
}

ScalableFill DoublingEngine::MeasureFill() const {
  WeightedFill sum;
  for (size_t s = 0; s < GrowingStore::kNumShards; ++s) {
    const WeightedFill shard = FillOfShard(ReadShard(s));
    sum.matches += shard.matches / GrowingStore::kNumShards;
    sum.fill += shard.fill / GrowingStore::kNumShards;
  }
  sum.matches += GetStats().doubling.undecided_share;
  ScalableFill fill;
  fill.current_fpr = std::min(1.0, sum.matches);
  fill.huge_page_bytes = store_->huge_page_bytes();
  fill.generations.push_back({.fill_ratio = sum.fill,
                              .current_fpr = fill.current_fpr,
                              .huge_page_bytes = fill.huge_page_bytes});
  return fill;
}

}  // namespace trommel
