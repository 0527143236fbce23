// The clock's side of a window filter. Why readers never see a store that has gone: the argument in
// window_filter.cc.
#include "engine/src/window/bucket_ring.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/src/base/memory_limit.h"

namespace trommel {

BucketStore* BucketList::Find(uint64_t bucket) const {
  for (size_t i = size; i-- > 0;) {  // mostly the current one
    if (entries[i].bucket == bucket) return entries[i].bucket_store;
  }
  return nullptr;
}

BucketRing::BucketRing(const TimeBuckets& times, std::vector<BlockStore> stores,
                       const BucketKeys& keys)
    : times_(times),
      keys_(keys),
      locks_(RangeLocks::LockBitsFor(stores.front().owned_range_bits())) {
  assert(stores.size() == size_t{times.num_buckets} + 2);
  empty_.reserve(stores.size());
  uncleared_.reserve(stores.size());
  for (BlockStore& store : stores) {
    all_.push_back(std::make_unique<BucketStore>(std::move(store), locks_));
    empty_.push_back(all_.back().get());
  }
  StartAt(0);
}

// --- The clock.

bool BucketRing::Advance(uint64_t now) {
  const std::lock_guard lock(clock_);
  if (now < now_.load(std::memory_order_relaxed)) return false;
  const uint64_t bucket = times_.BucketOf(now);
  if (bucket != List().Current().bucket) {
    EnterBucket(bucket, now);
  } else {
    now_.store(now, std::memory_order_release);
  }
  ClearOwnedRanges(1);
  return true;
}

void BucketRing::EnterBucket(uint64_t bucket, uint64_t now) {
  BucketStore& current = TakeEmpty();
  const BucketList& old_list = List();
  // No thread is left inside that saw this one: it was replaced before the last Synchronize.
  BucketList& new_list = lists_[&old_list == &lists_[0] ? 1 : 0];
  new_list.size = 0;
  for (const BucketList::Entry& entry : old_list.Entries()) {
    if (times_.IsLive(entry.bucket, bucket)) new_list.entries[new_list.size++] = entry;
  }
  const size_t num_gone = old_list.size - new_list.size;  // the oldest of them
  new_list.entries[new_list.size++] = {bucket, &current};
  new_list.current_since = now;

  list_.store(&new_list, std::memory_order_seq_cst);
  // After the list: a thread that sees the time sees its bucket.
  now_.store(now, std::memory_order_release);
  grace_periods_.Synchronize();
  // What came in late, when the last was cleared, is not owed for what goes now.
  if (uncleared_.empty()) keys_owed_.store(0, std::memory_order_relaxed);
  for (const BucketList::Entry& entry : old_list.Entries().first(num_gone)) {
    const uint64_t num_excess = ExcessOf(entry.bucket_store->locks.num_keys());
    num_excess_keys_.fetch_add(num_excess, std::memory_order_relaxed);
    if (entry.bucket_store->is_touched()) {
      uncleared_.push_back(entry.bucket_store);
    } else {
      empty_.push_back(entry.bucket_store);
    }
  }
  num_uncleared_.store(uncleared_.size(), std::memory_order_relaxed);
}

BucketStore& BucketRing::TakeEmpty() {
  // There is one store more than live buckets: one is empty or can be.
  if (empty_.empty()) FinishClearing(*uncleared_.front());
  BucketStore& taken = *empty_.back();
  empty_.pop_back();
  return taken;
}

// --- Clearing.

void BucketRing::ClearShare(uint64_t num_keys) {
  if (num_uncleared_.load(std::memory_order_relaxed) == 0) return;
  const uint64_t num_owned_ranges = all_.front()->store.num_owned_ranges();
  // Before the lock: the next thread to get it does the share of threads that found it taken.
  keys_owed_.fetch_add(2 * num_keys * num_owned_ranges, std::memory_order_relaxed);
  const std::unique_lock lock(clock_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const uint64_t keys_owed = keys_owed_.exchange(0, std::memory_order_relaxed);
  ClearOwnedRanges(keys_owed / keys_.expected);
  if (uncleared_.empty()) return;  // nothing is owed for what goes later
  keys_owed_.fetch_add(keys_owed % keys_.expected, std::memory_order_relaxed);
}

void BucketRing::ClearOwnedRanges(size_t num_owned_ranges) {
  for (; num_owned_ranges > 0 && !uncleared_.empty(); --num_owned_ranges) {
    BucketStore& gone = *uncleared_.front();
    const uint32_t range_bits = gone.store.owned_range_bits();
    {
      // Only a thread that copies the store, in vain, may hold it: the bucket has left the window.
      RangeLocks::Held held = gone.locks.Hold(gone.num_cleared, range_bits);
      gone.store.ClearOwnedRange(gone.num_cleared);
      const size_t owned_ranges_per_lock = gone.store.num_owned_ranges() / gone.locks.num_locks();
      if (gone.num_cleared % owned_ranges_per_lock == 0) held.AddKeys(0 - held.num_keys());
    }
    gone.num_cleared += 1;
    if (gone.num_cleared < gone.store.num_owned_ranges()) continue;
    gone.num_cleared = 0;
    gone.touched.store(false, std::memory_order_relaxed);
    uncleared_.erase(uncleared_.begin());
    empty_.push_back(&gone);
    num_uncleared_.store(uncleared_.size(), std::memory_order_relaxed);
  }
}

void BucketRing::FinishClearing(BucketStore& bucket_store) {
  ClearOwnedRanges(bucket_store.store.num_owned_ranges() - bucket_store.num_cleared);
}

uint64_t BucketRing::num_uncleared_bytes() {
  const std::lock_guard lock(clock_);
  uint64_t num_bytes = 0;
  for (const BucketStore* gone : uncleared_) {
    const uint64_t num_owned_ranges = gone->store.num_owned_ranges();
    num_bytes += geometry().num_bytes() / num_owned_ranges * (num_owned_ranges - gone->num_cleared);
  }
  return num_bytes;
}

uint64_t BucketRing::side_table_bytes() const {
  uint64_t num_bytes = 0;
  for (const auto& bucket_store : all_) num_bytes += bucket_store->store.Figures().side_table_bytes;
  return num_bytes;
}

// --- Exclusive.

BucketStore& BucketRing::Obtain(uint64_t bucket) {
  BucketList& list = const_cast<BucketList&>(List());
  if (BucketStore* found = list.Find(bucket)) return *found;
  BucketStore& taken = TakeEmpty();
  size_t i = list.size;
  for (; i > 0 && list.entries[i - 1].bucket > bucket; --i) list.entries[i] = list.entries[i - 1];
  list.entries[i] = {bucket, &taken};
  list.size += 1;
  return taken;
}

void BucketRing::GiveBack(const BucketList& before) {
  BucketList& list = const_cast<BucketList&>(List());
  for (const BucketList::Entry& entry : list.Entries()) {
    if (before.Find(entry.bucket) != nullptr) continue;
    entry.bucket_store->touched.store(false, std::memory_order_relaxed);
    empty_.push_back(entry.bucket_store);
  }
  list = before;
}

void BucketRing::StartAt(uint64_t now) {
  for (const BucketList& list : lists_) {
    for (const BucketList::Entry& entry : list.Entries()) empty_.push_back(entry.bucket_store);
  }
  lists_[1].size = 0;
  lists_[0].size = 1;
  lists_[0].current_since = now;
  lists_[0].entries[0] = {times_.BucketOf(now), &TakeEmpty()};
  list_.store(&lists_[0], std::memory_order_seq_cst);
  now_.store(now, std::memory_order_release);
}

void BucketRing::Clear() {
  while (!uncleared_.empty()) FinishClearing(*uncleared_.front());
  for (const BucketList::Entry& entry : List().Entries()) {
    BucketStore& live = *entry.bucket_store;
    if (!live.is_touched()) continue;
    live.store.Clear();
    live.locks.ForgetKeys();
    live.touched.store(false, std::memory_order_relaxed);
  }
  keys_owed_.store(0, std::memory_order_relaxed);
  num_excess_keys_.store(0, std::memory_order_relaxed);
}

Status BucketRing::LimitSideMemory(uint64_t limit_bytes_of_each) try {
  // What has gone would count, else.
  while (!uncleared_.empty()) FinishClearing(*uncleared_.front());
  std::vector<std::unique_ptr<SideLimitChange>> changes;
  for (const auto& bucket_store : all_) {
    Result<std::unique_ptr<SideLimitChange>> change =
        bucket_store->store.PrepareSideLimit(limit_bytes_of_each);
    if (!change.ok()) return change.error();
    changes.push_back(*std::move(change));
  }
  for (const auto& change : changes) change->Apply();
  return Ok();
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

}  // namespace trommel
