// What a WindowFilter is made of: a ring of stores, and how keys get to it. The argument why that
// is enough stands in window_filter.cc.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/batches/update_batch.h"
#include "engine/src/sync/exclusive_access_check.h"
#include "engine/src/window/bucket_ring.h"
#include "trommel/window_filter.h"

namespace trommel {

static_assert(BucketList::kMaxEntries == WindowFilter::kMaxBuckets + 1);

// Stores that are queried together.
class StoreList {
 public:
  // Those of the list that may hold a key, `except` that one.
  explicit StoreList(const BucketList& list, const BucketStore* except = nullptr) {
    for (const BucketList::Entry& entry : list.Entries()) {
      if (entry.bucket_store != except) Add(*entry.bucket_store);
    }
  }
  void Add(const BucketStore& bucket_store) {
    if (bucket_store.is_touched()) stores_[size_++] = &bucket_store.store;
  }
  std::span<const BlockStore* const> get() const { return std::span(stores_).first(size_); }

 private:
  std::array<const BlockStore*, BucketList::kMaxEntries> stores_;
  size_t size_ = 0;
};

struct WindowFilter::Impl {
  // What became of an update: keys inserted or erased, and keys for which the bucket was live.
  struct Applied {
    uint64_t num_applied = 0;
    size_t num_reached = 0;
  };

  Impl(const TimeBuckets& times, std::vector<BlockStore> stores, const BucketKeys& keys)
      : ring(times, std::move(stores), keys), bucket_capacity(keys.most) {}

  // Checks all but what SizeFor checks.
  static Status Validate(const TimeBuckets& times, uint64_t capacity, double target_fpr);
  // An empty filter at time 0, of valid numbers; kOutOfMemory as Create.
  static Result<std::unique_ptr<Impl>> Make(const TimeBuckets& times, const Geometry& geometry,
                                            uint64_t capacity, double target_fpr,
                                            uint64_t memory_limit_bytes);

  UpdateTarget ForUpdates(BucketStore& bucket_store) const {
    return {.store = bucket_store.store,
            .policy = policy,
            .executor = executor.get(),
            .locks = &bucket_store.locks};
  }

  // Inserts into, or erases from, the store of a bucket that was live at some moment of the call,
  // as long as it is. `answers` as UpdateBatch has them; those of keys not reached are 0.
  Applied UpdateIn(uint64_t bucket, Update update, Keys keys, std::span<uint64_t> answers);
  // The same of one digest, from inside the ring.
  Applied UpdateOneIn(uint64_t bucket, Update update, uint64_t digest);
  WindowEraseOutcome Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased);
  // Inserts into the view's current bucket what neither its buckets nor a later one seem to hold.
  // From inside the ring since the view was taken; at most kMaxChunkKeys digests.
  size_t InsertIfAbsentIn(const BucketRing::View& view, std::span<const uint64_t> digests,
                          uint64_t* inserted);

  BucketRing ring;
  DigestPolicy policy;
  std::shared_ptr<Executor> executor;
  uint64_t capacity = 0;
  uint64_t bucket_capacity = 0;
  double target_fpr = 0;
  std::atomic<uint64_t> num_refused_erases{0};
  std::atomic<uint64_t> num_expired_erases{0};
  ExclusiveAccessCheck access_check;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_WINDOW_FILTER_IMPL_H_
