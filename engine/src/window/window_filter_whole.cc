// Whole window filters: merge, clear, statistics.
#include <cmath>
#include <string>
#include <utility>

#include "engine/src/blocks/store_stats.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/window/window_filter_impl.h"
#include "engine/src/window/window_survey.h"

namespace trommel {
namespace {

// Names the first field in which two filters differ that are to be merged; empty if there is none.
template <class Impl>
std::string Difference(Impl& a, Impl& b) {
  const TimeBuckets& ours = a.ring.times();
  const TimeBuckets& theirs = b.ring.times();
  if (ours.window != theirs.window) return FieldDiffers("window", ours.window, theirs.window);
  if (ours.num_buckets != theirs.num_buckets) {
    return FieldDiffers("num_buckets", ours.num_buckets, theirs.num_buckets);
  }
  std::string difference = DifferenceOf(a.ring.geometry(), a.policy, b.ring.geometry(), b.policy);
  if (!difference.empty()) return difference;
  const uint64_t bucket_here = a.ring.Present().bucket;
  const uint64_t bucket_there = b.ring.Present().bucket;
  if (bucket_here == bucket_there) return "";
  return FieldDiffers("first tick of the present bucket", ours.FirstTick(bucket_here),
                      ours.FirstTick(bucket_there));
}

// 1 - prod(1 - f), precise for small rates.
class UnionOfRates {
 public:
  void Add(double fpr) { log_absent_ += std::log1p(-fpr); }
  double fpr() const { return 0.0 - std::expm1(log_absent_); }  // no -0

 private:
  double log_absent_ = 0;
};

}  // namespace

WindowStats WindowFilter::GetStats() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  BucketRing& ring = impl_->ring;
  const auto survey = SurveyLive<StoreTotals>(ring, [](BucketStore& bucket_store) {
    StoreTotals totals;
    totals.num_keys =
        VisitOwnedRanges(bucket_store, [&](size_t o) { totals += bucket_store.store.TotalsOf(o); });
    return totals;
  });
  WindowStats stats;
  stats.now = survey.now;
  stats.num_bytes = ring.num_stores() * ring.geometry().num_bytes();
  stats.num_uncleared_bytes = ring.num_uncleared_bytes();
  stats.num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  stats.num_expired_erases = impl_->num_expired_erases.load(std::memory_order_relaxed);
  stats.num_excess_keys = survey.num_excess_keys_gone;
  UnionOfRates current;
  UnionOfRates predicted;
  for (const auto& [bucket, bucket_store, totals] : survey.buckets) {
    WindowBucket one{.first_tick = ring.times().FirstTick(bucket),
                     .last_tick = ring.times().LastTick(bucket),
                     .stats = StatsOf(bucket_store->store, totals, 0)};
    stats.num_keys += one.stats.num_keys;
    stats.num_excess_keys += ring.ExcessOf(one.stats.num_keys);
    stats.num_bytes += one.stats.side_table_bytes;
    current.Add(one.stats.current_fpr);
    predicted.Add(one.stats.predicted_fpr);
    stats.buckets.push_back(one);
  }
  stats.current_fpr = current.fpr();
  stats.predicted_fpr = predicted.fpr();
  return stats;
}

// --- Exclusive.

Status WindowFilter::Merge(const WindowFilter& other) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  BucketRing& ours = impl_->ring;
  BucketRing& theirs = other.impl_->ring;
  if (const std::string difference = Difference(*impl_, *other.impl_); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot merge: " + difference};
  }
  if (Status fits = CheckMergedKeys(num_keys(), other.num_keys()); !fits) return fits;
  const BucketList list = theirs.List();
  for (const BucketList::Entry& entry : list.Entries()) {
    if (!entry.bucket_store->is_touched()) continue;
    BucketStore& into = ours.Obtain(entry.bucket);
    into.Touch();
    const uint64_t num_keys_there = entry.bucket_store->locks.num_keys();
    into.store.Merge(entry.bucket_store->store);
    // Which lock's they are nobody asks: copies take all locks.
    into.locks.Hold(0, into.locks.lock_bits()).AddKeys(num_keys_there);
  }
  ours.Advance(theirs.Present().time);  // within the bucket; an earlier time changes nothing
  return Ok();
}

void WindowFilter::Clear() noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->ring.Clear();
  impl_->num_refused_erases = 0;
  impl_->num_expired_erases = 0;
}

}  // namespace trommel
