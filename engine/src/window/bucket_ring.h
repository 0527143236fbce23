// BucketRing: the stores of a window filter as time goes by: which are live, which have left the
// window and are to be cleared, which are empty and wait to be used again.
//
//            Advance                  Advance ...              by and by
//   empty ------------> current ----> older, live ----> gone, to be cleared ----> empty
//                       [     the published list      ]
//
// Readers and writers see the live buckets through an immutable list, inside a grace period; so no
// thread holds a store that has gone once Advance has waited for them. It knows nothing of keys.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_BUCKET_RING_H_
#define TROMMEL_ENGINE_SRC_WINDOW_BUCKET_RING_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "engine/src/sync/range_locks.h"
#include "engine/src/window/time_buckets.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

// A store, and what one bucket of time after the other needs beside it.
struct BucketStore {
  BucketStore(BlockStore blocks, const RangeLocks& shared)
      : store(std::move(blocks)), locks(RangeLocks::Sharing(shared)) {}

  // Before anything is inserted. An untouched store is empty: it need not be looked up or cleared.
  void Touch() {
    if (!is_touched()) touched.store(true, std::memory_order_relaxed);
  }
  bool is_touched() const { return touched.load(std::memory_order_relaxed); }

  BlockStore store;
  RangeLocks locks;  // the filter's mutexes, this bucket's keys
  std::atomic<bool> touched{false};
  size_t num_cleared = 0;  // owned ranges, of a bucket that has gone; under the ring's mutex
};

// A moment of the clock.
struct Moment {
  uint64_t time;
  uint64_t bucket;
};

// Of one bucket.
struct BucketKeys {
  // Inserted while it is the current one: clearing keeps pace with them.
  uint64_t expected = 1;
  // For which its store was sized.
  uint64_t most = 1;
};

// The live buckets at some time.
struct BucketList {
  struct Entry {
    uint64_t bucket;
    BucketStore* bucket_store;
  };
  static constexpr size_t kMaxEntries = 65;  // the current bucket and 64 before it

  std::span<const Entry> Entries() const { return std::span(entries).first(size); }
  const Entry& Current() const { return entries[size - 1]; }
  BucketStore* Find(uint64_t bucket) const;  // null: it has gone, or never was current

  uint64_t current_since = 0;  // the time that the first Advance into the current bucket gave
  size_t size = 0;
  // Ascending. Buckets that never were current are left out.
  std::array<Entry, kMaxEntries> entries;
};

class BucketRing {
 public:
  // Of num_buckets + 2 empty stores of one geometry, at time 0. While a bucket is current and takes
  // the expected keys, what has left the window is cleared twice over.
  BucketRing(const TimeBuckets& times, std::vector<BlockStore> stores, const BucketKeys& keys);

  const TimeBuckets& times() const { return times_; }
  const Geometry& geometry() const { return all_.front()->store.geometry(); }
  size_t num_stores() const { return all_.size(); }
  RangeLocks& locks() { return locks_; }

  // --- For threads that use the stores, which stay as they are while the threads are inside.
  GracePeriods::Reader Enter() { return grace_periods_.Enter(); }
  const BucketList& List() const { return *list_.load(std::memory_order_seq_cst); }
  // A list, and a time of its current bucket.
  struct View {
    const BucketList& list;
    uint64_t time;
  };
  View Look() const {
    const uint64_t now = now_.load(std::memory_order_acquire);  // before the list: never beyond it
    const BucketList& list = List();
    return {list, std::max(now, list.current_since)};
  }
  Moment Current() const {
    const View view = Look();
    return {view.time, view.list.Current().bucket};
  }

  // --- The clock. Not from inside.

  Moment CurrentFromOutside() {
    const GracePeriods::Reader reader = Enter();
    return Current();
  }
  // False, and nothing done, if that lies before now().
  bool Advance(uint64_t now);
  // Clears the share of num_keys insertions, and what other threads left. Leaves it where another
  // thread is clearing or advancing.
  void ClearShare(uint64_t num_keys);
  uint64_t num_uncleared_bytes();
  // Of all stores, live or not.
  uint64_t side_table_bytes() const;
  // Keys beyond `most` in the buckets that have gone, each as it went; since creation or Clear.
  uint64_t num_excess_keys_gone() const { return num_excess_keys_.load(std::memory_order_relaxed); }
  uint64_t ExcessOf(uint64_t num_keys) const { return num_keys - std::min(num_keys, keys_.most); }

  // Keeps time and list as they are while it is held.
  std::unique_lock<std::mutex> StopClock() { return std::unique_lock(clock_); }

  // --- Exclusive: no other thread is in any member.

  // The bucket's store; takes an empty one if it has none. Requires that the bucket is live.
  BucketStore& Obtain(uint64_t bucket);
  // Undoes all Obtain since the list was that one. Requires that what they took is empty.
  void GiveBack(const BucketList& before);
  // Makes `now` the time at which everything begins, for a ring that was not used.
  void StartAt(uint64_t now);
  void Clear();
  // Of each store, live or not; of all or of none. Fails as Store::PrepareSideLimit.
  Status LimitSideMemory(uint64_t limit_bytes_of_each);

 private:
  void EnterBucket(uint64_t bucket, uint64_t now);
  BucketStore& TakeEmpty();
  void ClearOwnedRanges(size_t num_owned_ranges);
  void FinishClearing(BucketStore& bucket_store);

  const TimeBuckets times_;
  const BucketKeys keys_;
  RangeLocks locks_;
  std::vector<std::unique_ptr<BucketStore>> all_;

  GracePeriods grace_periods_;
  std::array<BucketList, 2> lists_;  // the published one, and the one before it
  std::atomic<const BucketList*> list_;
  std::atomic<uint64_t> now_{0};

  std::mutex clock_;  // held to change the list and what follows
  // Of both no more than there are stores, for which there is space from the beginning: the clock
  // needs no memory.
  std::vector<BucketStore*> empty_;
  std::vector<BucketStore*> uncleared_;  // the first is being cleared
  std::atomic<size_t> num_uncleared_{0};
  // Insertions whose share is not done, twice, times owned ranges. Added to without the mutex.
  std::atomic<uint64_t> keys_owed_{0};
  std::atomic<uint64_t> num_excess_keys_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_BUCKET_RING_H_
