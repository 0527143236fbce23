// Whole counting filters: merge, subtract, fold, clear, statistics.
#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "engine/src/blocks/store_stats.h"
#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

// Merging a filter with itself doubles it: it must stop where a snapshot still holds it and
// counters cannot wrap.
constexpr uint64_t kMaxMergedKeys = (kMaxSnapshotKeys + 1) / 2;

}  // namespace

Status CountingFilter::Merge(const CountingFilter& other) {
  if (std::string difference = DifferenceOf(*this, other); !difference.empty()) {
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
  if (std::string difference = DifferenceOf(*this, other); !difference.empty()) {
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

Stats CountingFilter::GetStats() const noexcept {
  StoreTotals totals;
  for (size_t o = 0; o < impl_->store.num_owned_ranges(); ++o) totals += impl_->store.TotalsOf(o);
  totals.num_keys = impl_->num_keys;
  return StatsOf(impl_->store, totals, impl_->num_refused_erases);
}

}  // namespace trommel
