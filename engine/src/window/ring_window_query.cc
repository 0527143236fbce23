// Queries of a ring window, which look up every chunk of keys in all live buckets, inside one
// grace period; and its statistics.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/src/blocks/store_list.h"
#include "engine/src/blocks/store_stats.h"
#include "engine/src/keys/radix_split.h"
#include "engine/src/window/ring_survey.h"
#include "engine/src/window/ring_window.h"
#include "kernels/layout.h"

namespace trommel {
namespace {

// From inside the ring. No thread changes the key's counts in any bucket meanwhile.
uint64_t CountOf(BucketRing& ring, uint64_t digest) {
  const uint32_t lock_bits = ring.locks().lock_bits();
  const RangeLocks::Held held = ring.locks().Hold(RangeOf(digest, lock_bits), lock_bits);
  uint64_t count = 0;
  const StoreList stores(ring.List());
  for (const BlockStore* store : stores.get()) count += store->CountEstimate(digest);
  return count;
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

size_t RingWindow::QueryChunk(std::span<const uint64_t> digests, uint64_t* maybe_present) {
  const GracePeriods::Reader reader = ring_.Enter();
  return QueryAny(StoreList(ring_.List()).get(), digests, maybe_present);
}

void RingWindow::CountChunk(std::span<const uint64_t> digests, std::span<uint64_t> counts) {
  const GracePeriods::Reader reader = ring_.Enter();
  for (size_t i = 0; i < digests.size(); ++i) counts[i] = CountOf(ring_, digests[i]);
}

bool RingWindow::MayContain(uint64_t digest) {
  const GracePeriods::Reader reader = ring_.Enter();
  const StoreList stores(ring_.List());
  // Fetched all at once, queried one by one.
  const uint64_t block_idx = kernels::BlockIndex(digest, ring_.geometry().num_blocks);
  for (const BlockStore* store : stores.get()) __builtin_prefetch(store->PresenceOf(block_idx));
  return std::ranges::any_of(stores.get(),
                             [&](const BlockStore* store) { return store->MayContain(digest); });
}

void RingWindow::Prefetch(uint64_t digest) {
  const GracePeriods::Reader reader = ring_.Enter();
  const BucketList& list = ring_.List();
  const StoreList stores(list);
  for (const BlockStore* store : stores.get()) store->PrefetchQuery(digest);
  list.Current().bucket_store->store.FetchAhead({&digest, 1});  // which takes insertions
}

double RingWindow::PredictedFpr(uint64_t num_keys) const {
  const uint64_t num_live = uint64_t{settings.times.num_buckets} + 1;
  UnionOfRates rates;
  for (uint64_t i = 0; i < num_live; ++i) {
    rates.Add(trommel::PredictedFpr(geometry(), num_keys / num_live));
  }
  return rates.fpr();
}

uint64_t RingWindow::num_keys() {
  const GracePeriods::Reader reader = ring_.Enter();
  uint64_t num_keys = 0;
  for (const BucketList::Entry& entry : ring_.List().Entries()) {
    num_keys += entry.bucket_store->locks.num_keys();
  }
  return num_keys;
}

WindowStats RingWindow::GetStats() {
  const auto survey = SurveyLive<Stats>(ring_, [](BucketStore& bucket_store) {
    const BlockStore& store = bucket_store.store;
    return StatsOf(store.geometry(), store.Figures(), bucket_store.locks.num_keys(), 0);
  });
  WindowStats stats;
  stats.now = survey.now;
  stats.num_bytes = ring_.num_stores() * ring_.geometry().num_bytes();
  stats.num_uncleared_bytes = ring_.num_uncleared_bytes();
  stats.num_excess_keys = survey.num_excess_keys_gone;
  UnionOfRates predicted;
  for (const auto& [bucket, bucket_store, of_bucket] : survey.buckets) {
    WindowBucket one{.first_tick = ring_.times().FirstTick(bucket),
                     .last_tick = ring_.times().LastTick(bucket),
                     .stats = of_bucket};
    stats.num_keys += one.stats.num_keys;
    stats.num_excess_keys += ring_.ExcessOf(one.stats.num_keys);
    if (side_limit_bytes == 0) stats.num_bytes += one.stats.side_table_bytes;
    predicted.Add(one.stats.predicted_fpr);
    stats.buckets.push_back(one);
  }
  // With a limit it is reserved, also for buckets to come.
  if (side_limit_bytes != 0) stats.num_bytes += ring_.side_table_bytes();
  stats.predicted_fpr = predicted.fpr();
  return stats;
}

WindowFill RingWindow::MeasureFill() {
  const auto survey = SurveyLive<BlockFill>(ring_, [](BucketStore& bucket_store) {
    const BlockStore& store = bucket_store.store;
    kernels::Tally tally;
    bucket_store.locks.VisitRanges(store.num_owned_ranges(),
                                   [&](size_t o) { tally += store.TallyOf(o); });
    return FillOf(store, tally);
  });
  WindowFill fill;
  UnionOfRates current;
  for (const auto& bucket : survey.buckets) {
    fill.buckets.push_back(bucket.seen);
    fill.huge_page_bytes += bucket.seen.huge_page_bytes;
    current.Add(bucket.seen.current_fpr);
  }
  fill.current_fpr = current.fpr();
  return fill;
}

}  // namespace trommel
