// Whole counting filters: merge, subtract, fold, clear, statistics.
#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "engine/src/counting_filter_impl.h"
#include "engine/src/filter_difference.h"
#include "engine/src/snapshot_format.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

// Merging a filter with itself doubles it: it must stop where a snapshot still holds it and
// counters cannot wrap.
constexpr uint64_t kMaxMergedKeys = (kMaxSnapshotKeys + 1) / 2;

}  // namespace

Status CountingFilter::Merge(const CountingFilter& other) {
  if (std::string difference = FilterDifference(*this, other); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot merge: " + difference};
  }
  if (other.num_keys() > kMaxMergedKeys - std::min(num_keys(), kMaxMergedKeys)) {
    return Error{ErrorCode::kInvalidArgument, "cannot merge: " + std::to_string(num_keys()) +
                                                  " and " + std::to_string(other.num_keys()) +
                                                  " keys are together more than 2^62"};
  }
  impl_->store.Merge(other.impl_->store);
  impl_->num_keys += other.impl_->num_keys;
  return Ok();
}

Status CountingFilter::Subtract(const CountingFilter& other) {
  if (std::string difference = FilterDifference(*this, other); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot subtract: " + difference};
  }
  if (!impl_->store.Subtract(other.impl_->store)) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot subtract: the other filter holds keys that were not inserted here"};
  }
  impl_->num_keys -= other.impl_->num_keys;
  return Ok();
}

Status CountingFilter::Fold() {
  const uint64_t num_blocks = geometry().num_blocks;
  if (num_blocks % 2 != 0) {
    return Error{ErrorCode::kInvalidArgument, "cannot fold: num_blocks is " +
                                                  std::to_string(num_blocks) +
                                                  ", and only an even number can be halved"};
  }
  try {
    Result<BlockStore> folded = impl_->store.Folded(impl_->memory_limit_bytes);
    if (!folded) return folded.error();
    impl_->store = *std::move(folded);
  } catch (const std::bad_alloc&) {  // the folded side table; this filter is as it was
    return Error{ErrorCode::kOutOfMemory, "cannot fold: no memory for the side table"};
  }
  return Ok();
}

void CountingFilter::Clear() noexcept {
  impl_->store.Clear();
  impl_->num_keys = 0;
  impl_->num_refused_erases = 0;
}

Stats StatsOf(const BlockStore& store, const StoreTotals& totals, uint64_t num_refused_erases) {
  const Geometry& geometry = store.geometry();
  const double num_blocks = static_cast<double>(geometry.num_blocks);
  const double positions_of_a_query = std::pow(geometry.slice_positions(), geometry.num_slices);
  Stats stats;
  stats.num_keys = totals.num_keys;
  stats.num_bytes = geometry.num_bytes() + totals.side_table_bytes;
  stats.side_table_bytes = totals.side_table_bytes;
  stats.num_promoted = totals.tally.num_promoted;
  stats.num_refused_erases = num_refused_erases;
  stats.huge_page_bytes = store.huge_page_bytes();
  stats.fill_ratio =
      static_cast<double>(totals.tally.num_present) / static_cast<double>(geometry.num_positions());
  stats.current_fpr =
      static_cast<double>(totals.tally.product_sum) / positions_of_a_query / num_blocks;
  stats.predicted_fpr = PredictedFpr(geometry, totals.num_keys);
  return stats;
}

Stats CountingFilter::GetStats() const noexcept {
  StoreTotals totals;
  for (size_t o = 0; o < impl_->store.num_owners(); ++o) totals += impl_->store.TotalsOf(o);
  totals.num_keys = impl_->num_keys;
  return StatsOf(impl_->store, totals, impl_->num_refused_erases);
}

}  // namespace trommel
