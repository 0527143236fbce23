// Statistics of window filters.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/src/window/window_filter_impl.h"
#include "engine/src/window/window_sizing.h"

namespace trommel {

std::vector<uint64_t> WindowFilter::Impl::KeysOfLive(uint64_t first_live, uint64_t current) {
  std::vector<uint64_t> num_keys;
  // By differences: the current bucket may be the last there is.
  for (uint64_t i = 0; i <= current - first_live; ++i) {
    num_keys.push_back(KeysOf(first_live + i).num_keys());
  }
  return num_keys;
}

uint64_t WindowFilter::Impl::num_keys() {
  const WindowClock::Inside inside = clock_.Enter();
  const uint64_t current = inside.moment().bucket;
  uint64_t num_keys = 0;
  for (const uint64_t of_bucket : KeysOfLive(clock_.FirstLive(current), current)) {
    num_keys += of_bucket;
  }
  return num_keys;
}

WindowStats WindowFilter::Impl::GetStats() {
  const auto stopped = clock_.Stop();
  const WindowClock::Inside inside = clock_.Enter();
  const uint64_t current = inside.moment().bucket;
  const uint64_t first_live = clock_.FirstLive(current);
  const StampedFigures figures = store_.Figures();
  WindowStats stats;
  stats.now = inside.moment().time;
  const std::vector<uint64_t> keys = KeysOfLive(first_live, current);
  for (size_t i = 0; i < keys.size(); ++i) {
    const uint64_t bucket = first_live + i;
    stats.num_keys += keys[i];
    if (keys[i] == 0 && bucket != current) continue;
    stats.buckets.push_back({.first_tick = settings.times.FirstTick(bucket),
                             .last_tick = settings.times.LastTick(bucket),
                             .num_keys = keys[i],
                             .predicted_fpr = WindowFpr(store_.geometry(), keys[i])});
  }
  stats.num_bytes = store_.num_bytes() + figures.side_table_bytes;
  stats.predicted_fpr = WindowFpr(store_.geometry(), stats.num_keys);
  stats.num_refused_erases = num_refused_erases_.load(std::memory_order_relaxed);
  stats.num_expired_erases = num_expired_erases_.load(std::memory_order_relaxed);
  stats.num_without_space = num_without_space_.load(std::memory_order_relaxed);
  stats.num_refused_inserts =
      num_untimely_inserts_.load(std::memory_order_relaxed) + stats.num_without_space;
  stats.num_excess_keys = stats.num_keys - std::min(stats.num_keys, settings.capacity);
  stats.slots = {
      .num_keys = stats.num_keys,
      .num_bytes = stats.num_bytes,
      .side_table_bytes = figures.side_table_bytes,
      .num_promoted = figures.num_overflowing,
      .num_refused_inserts = figures.num_refused_inserts,
      .predicted_fpr = stats.predicted_fpr,
      .undecided_share = static_cast<double>(figures.num_undecided) /
                         static_cast<double>(store_.geometry().num_blocks),
      .num_interrupted_queries = figures.num_interrupted_queries,
  };
  return stats;
}

BlockFill WindowFilter::Impl::MeasureFill() {
  const uint64_t first_live = clock_.first_live();
  const uint64_t num_blocks = store_.geometry().num_blocks;
  uint64_t num_shown = 0;
  double sum = 0;
  const double values = std::exp2(store_.shape().fingerprint_bits);
  const uint64_t num_ranges = store_.num_owned_ranges();
  locks_.VisitRanges(num_ranges, [&](size_t range_idx) {
    const uint64_t first = num_blocks / num_ranges * range_idx;
    for (uint64_t b = first; b < first + num_blocks / num_ranges; ++b) {
      const StampedContents contents = store_.ReadContents(b, first_live);
      uint32_t last = 0;
      for (const BucketKey& copies : contents) {
        if (copies.fingerprint == last) continue;
        last = copies.fingerprint;
        num_shown += 1;
        sum += last == 1 ? 2 / values : 1 / values;  // fingerprint 0 became 1
      }
    }
  });
  const double blocks = static_cast<double>(num_blocks);
  return {.fill_ratio = static_cast<double>(num_shown) / (blocks * store_.shape().num_slots),
          .current_fpr = sum / blocks,
          .huge_page_bytes = store_.huge_page_bytes()};
}

}  // namespace trommel
