// Queries of a window filter, which look up every chunk of keys in all live buckets, inside one
// grace period; and its statistics.
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/src/blocks/store_list.h"
#include "engine/src/blocks/store_stats.h"
#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/keys/radix_split.h"
#include "engine/src/window/window_filter_impl.h"
#include "engine/src/window/window_survey.h"
#include "kernels/layout.h"

namespace trommel {
namespace {

size_t QueryChunk(BucketRing& ring, std::span<const uint64_t> digests, uint64_t* maybe_present) {
  const GracePeriods::Reader reader = ring.Enter();
  return QueryAny(StoreList(ring.List()).get(), digests, maybe_present);
}

size_t SelectChunk(BucketRing& ring, std::span<const uint64_t> digests, bool maybe_present,
                   size_t first_idx, uint32_t* selection) {
  std::array<uint64_t, BlockStore::kBitmapWords> answers;
  QueryChunk(ring, digests, answers.data());
  size_t size = 0;
  for (size_t w = 0; w < (digests.size() + 63) / 64; ++w) {
    const size_t num_bits = std::min<size_t>(64, digests.size() - w * 64);
    uint64_t left = (maybe_present ? answers[w] : ~answers[w]) & (~uint64_t{0} >> (64 - num_bits));
    for (; left != 0; left &= left - 1) {
      const size_t idx = first_idx + w * 64 + static_cast<size_t>(std::countr_zero(left));
      selection[size++] = static_cast<uint32_t>(idx);
    }
  }
  return size;
}

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

size_t WindowFilter::Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept {
  CheckBitmap(keys, maybe_present);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  std::atomic<size_t> num_present{0};
  ForEachTask(impl_->executor.get(), keys, [&](size_t part_first, Keys part) {
    size_t num_here = 0;
    ForEachChunk(impl_->policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      num_here +=
          QueryChunk(impl_->ring, digests, maybe_present.data() + (part_first + first) / 64);
    });
    num_present.fetch_add(num_here, std::memory_order_relaxed);
  });
  return num_present.load(std::memory_order_relaxed);
}

size_t WindowFilter::Select(Keys keys, Answer answer,
                            std::span<uint32_t> selection) const noexcept {
  CheckSelection(keys, selection);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const bool maybe_present = answer == Answer::kMaybePresent;
  return SelectInTasks(
      impl_->executor.get(), keys, selection,
      [&](size_t part_first, Keys part, std::span<uint32_t> part_selection) {
        size_t size = 0;
        ForEachChunk(impl_->policy, part, [&](size_t first, std::span<const uint64_t> digests) {
          size += SelectChunk(impl_->ring, digests, maybe_present, part_first + first,
                              part_selection.data() + size);
        });
        return size;
      });
}

void WindowFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  CheckCounts(keys, counts);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  ForEachTask(impl_->executor.get(), keys, [&](size_t part_first, Keys part) {
    ForEachChunk(impl_->policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      const GracePeriods::Reader reader = impl_->ring.Enter();
      for (size_t i = 0; i < digests.size(); ++i) {
        counts[part_first + first + i] = CountOf(impl_->ring, digests[i]);
      }
    });
  });
}

bool WindowFilter::MayContain(Key key) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_->policy(key);
  const GracePeriods::Reader reader = impl_->ring.Enter();
  const StoreList stores(impl_->ring.List());
  // Fetched all at once, queried one by one.
  const uint64_t block_idx = kernels::BlockIndex(digest, impl_->ring.geometry().num_blocks);
  for (const BlockStore* store : stores.get()) __builtin_prefetch(store->PresenceOf(block_idx));
  return std::ranges::any_of(stores.get(),
                             [&](const BlockStore* store) { return store->MayContain(digest); });
}

uint64_t WindowFilter::CountEstimate(Key key) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_->policy(key);
  const GracePeriods::Reader reader = impl_->ring.Enter();
  return CountOf(impl_->ring, digest);
}

uint64_t WindowFilter::num_keys() const noexcept {
  const GracePeriods::Reader reader = impl_->ring.Enter();
  uint64_t num_keys = 0;
  for (const BucketList::Entry& entry : impl_->ring.List().Entries()) {
    num_keys += entry.bucket_store->locks.num_keys();
  }
  return num_keys;
}

WindowStats WindowFilter::GetStats() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  BucketRing& ring = impl_->ring;
  const auto survey = SurveyLive<Stats>(ring, [](BucketStore& bucket_store) {
    const BlockStore& store = bucket_store.store;
    return StatsOf(store.geometry(), store.Figures(), bucket_store.locks.num_keys(), 0);
  });
  WindowStats stats;
  stats.now = survey.now;
  stats.num_bytes = ring.num_stores() * ring.geometry().num_bytes();
  stats.num_uncleared_bytes = ring.num_uncleared_bytes();
  stats.num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  stats.num_expired_erases = impl_->num_expired_erases.load(std::memory_order_relaxed);
  stats.num_excess_keys = survey.num_excess_keys_gone;
  UnionOfRates predicted;
  for (const auto& [bucket, bucket_store, of_bucket] : survey.buckets) {
    WindowBucket one{.first_tick = ring.times().FirstTick(bucket),
                     .last_tick = ring.times().LastTick(bucket),
                     .stats = of_bucket};
    stats.num_keys += one.stats.num_keys;
    stats.num_excess_keys += ring.ExcessOf(one.stats.num_keys);
    stats.num_bytes += one.stats.side_table_bytes;
    predicted.Add(one.stats.predicted_fpr);
    stats.buckets.push_back(one);
  }
  stats.predicted_fpr = predicted.fpr();
  return stats;
}

WindowFill WindowFilter::MeasureFill() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const auto survey = SurveyLive<BlockFill>(impl_->ring, [](BucketStore& bucket_store) {
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
