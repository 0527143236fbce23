// Whole filters: merge, subtract, fold, clear, statistics.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "engine/src/classic/filter_impl.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/classic/filter.h"
#include "trommel/classic/sizing.h"

namespace trommel::classic {
namespace {

// As CountingFilter: merging a filter with itself doubles it, and must stop somewhere.
constexpr uint64_t kMaxMergedKeys = (kMaxSnapshotKeys + 1) / 2;

// Names the first field in which two filters differ; empty if they agree in all.
std::string Difference(const Filter& a, const Filter& b) {
  const auto differs = [](const char* field, auto ours, auto theirs) {
    return std::string(field) + " differs: " + std::string(ours) + " here, " + std::string(theirs) +
           " there";
  };
  const auto number_differs = [&](const char* field, uint64_t ours, uint64_t theirs) {
    return differs(field, std::to_string(ours), std::to_string(theirs));
  };
  const Geometry& ours = a.geometry();
  const Geometry& theirs = b.geometry();
  if (ours.kind != theirs.kind) return differs("kind", KindName(ours.kind), KindName(theirs.kind));
  if (ours.num_hashes != theirs.num_hashes) {
    return number_differs("num_hashes", ours.num_hashes, theirs.num_hashes);
  }
  if (ours.num_positions != theirs.num_positions) {
    return number_differs("num_positions", ours.num_positions, theirs.num_positions);
  }
  if (ours.counter_bits != theirs.counter_bits) {
    return number_differs("counter_bits", ours.counter_bits, theirs.counter_bits);
  }
  if (ours.hashing != theirs.hashing) {
    return differs("hashing", HashingName(ours.hashing), HashingName(theirs.hashing));
  }
  return PolicyDifference(a.digest_policy(), b.digest_policy());
}

}  // namespace

Status Filter::Merge(const Filter& other) {
  if (std::string difference = Difference(*this, other); !difference.empty()) {
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

Status CountedFilter::Subtract(const CountedFilter& other) {
  if (std::string difference = Difference(*this, other); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot subtract: " + difference};
  }
  if (!impl_->store.CanSubtract(other.impl_->store)) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot subtract: the other filter holds keys that were not inserted here"};
  }
  impl_->store.Subtract(other.impl_->store);
  impl_->TakeKeys(other.impl_->num_keys);
  return Ok();
}

Status Filter::Fold() {
  const uint64_t num_positions = geometry().num_positions;
  if (num_positions % 2 != 0) {
    return Error{ErrorCode::kInvalidArgument, "cannot fold: num_positions is " +
                                                  std::to_string(num_positions) +
                                                  ", and only an even number can be halved"};
  }
  Result<PositionStore> folded = impl_->store.Folded(impl_->memory_limit_bytes);
  if (!folded) return folded.error();
  impl_->store = *std::move(folded);
  return Ok();
}

void Filter::Clear() noexcept {
  impl_->store.Clear();
  impl_->num_keys = 0;
  impl_->num_refused_erases = 0;
}

std::vector<uint64_t> Filter::CounterHistogram() const {
  std::vector<uint64_t> histogram(geometry().max_count() + 1, 0);
  for (size_t s = 0; s < geometry().num_slices(); ++s) {
    const std::vector<uint64_t> of_slice = impl_->store.Histogram(s);
    for (size_t c = 0; c < histogram.size(); ++c) histogram[c] += of_slice[c];
  }
  return histogram;
}

Stats Filter::GetStats() const {
  const PositionStore& store = impl_->store;
  const bool is_counting = geometry().kind != Kind::kBloom;
  Stats stats;
  stats.num_keys = impl_->num_keys;
  stats.num_bytes = geometry().num_bytes();
  for (size_t s = 0; s < geometry().num_slices(); ++s) stats.slice_fills.push_back(store.Fill(s));
  stats.fill_ratio = std::accumulate(stats.slice_fills.begin(), stats.slice_fills.end(), 0.0) /
                     static_cast<double>(stats.slice_fills.size());
  stats.current_fpr = store.FillProduct(geometry().num_hashes);
  stats.predicted_fpr = PredictedFpr(geometry(), impl_->num_keys);
  stats.num_stuck = is_counting ? CounterHistogram().back() : 0;
  stats.num_lost_increments = is_counting ? store.num_lost() : 0;
  stats.num_refused_erases = impl_->num_refused_erases;
  return stats;
}

}  // namespace trommel::classic
