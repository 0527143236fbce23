// RingWindow: why its contract holds. (That a bucket is live as long as any of its keys must be,
// and at most one bucket longer, is arithmetic: time_buckets.h. That a live store never loses a bit
// of a key that is in it: concurrent_filter.cc, every word of which holds for each store here.)
//
// *The list.* Advance publishes a new list, of the buckets that are live then; a published list is
// never changed. Take a key inserted in bucket b by a thread that saw a list with b in it, and a
// query that this insertion happened before. The query loads the list later, so it sees that list
// or a later one (coherence). A list without b comes only from an Advance to a bucket after
// b + num_buckets, and so to t + window or later; the contract speaks of queries before such an
// Advance begins. The query looks up b's store, which shows the bits.
//
// Untouched stores are not looked up. The mark is set before the key's bits, so it happened before
// the query as they did.
//
// *Old stores.* A thread that uses a list, or a store from one, is inside a grace period (Enter).
// Advance unpublishes first and waits then; so a store is cleared when no thread is inside that
// could know of it, is empty when it is published again, and the list that is overwritten is one
// that no thread reads. Clearing takes the locks nevertheless: copies for statistics and snapshots
// are made outside of grace periods, which they would make long. A copy of a bucket that left the
// window before all were copied may hold anything; it is discarded, and a bucket that is live at
// the end was never cleared meanwhile.
//
// *Time and bucket of a call.* The list says since when its last bucket is the current one; the
// time within that bucket is kept apart. Advance publishes the list first, and Current(), which
// now() returns, too, loads it last. So the list is the loaded time's or a later one, and the later
// of the two times belongs to the list's current bucket. Later chunks of a batch go to the same
// bucket, current or not, as long as it is in the list. If it is not, what was not inserted has
// left the window in the same instant.
//
// *Linearizable.* All stores share one set of locks: the updates of one key, in whichever bucket,
// happen one after another.
//
// *InsertIfAbsent* is inside one grace period for the whole call, with the list L and the time t
// that it found first. Every store of L stays as it is until the call leaves, also one that Advance
// unpublishes meanwhile: so what was in the filter at t is still seen by the last chunk, and
// duplicates meet in the current bucket of L even if that leaves the window. Under the lock of its
// keys the call also looks up the current bucket of the newest list, where later calls insert.
// There is no third bucket: after L at most one list is published, for Advance waits for this call
// before it returns, and advances run one after another. Of two calls with one key, the one that
// has the lock later thus looks up the bucket into which the other inserted, unless its own L is of
// a time at which that bucket had left the window. The lookup in all stores and the insertion are
// one moment among the updates of the key; an Advance between them is as if it came after.
//
// *No deadlock.* A thread inside a grace period may wait for a lock. A thread that holds a lock
// waits for nothing. Advance waits for the threads inside, and holds the clock, not a lock. A
// thread that wants the clock and is inside, or holds a lock, only tries.
#include "engine/src/window/ring_window.h"

#include <algorithm>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/batches/erase_all.h"
#include "engine/src/blocks/noting_store.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
// --- Updates.

RingWindow::Applied RingWindow::UpdateIn(uint64_t bucket, Update update, Keys keys,
                                         std::span<uint64_t> answers) {
  const bool is_spread = settings.executor != nullptr && settings.executor->num_threads() > 1;
  const size_t part_keys = is_spread ? kSpreadKeys : kAloneKeys;
  std::ranges::fill(answers, 0);
  Applied applied;
  for (size_t first = 0; first < keys.size(); first += part_keys) {
    const GracePeriods::Reader reader = ring_.Enter();
    const BucketList& list = ring_.List();
    if (!ring_.times().IsLive(bucket, list.Current().bucket)) break;
    const size_t count = std::min(part_keys, keys.size() - first);
    applied.num_reached += count;
    BucketStore* bucket_store = list.Find(bucket);
    if (bucket_store == nullptr) {  // never was current, so it has no keys
      applied.num_without_store += count;
      continue;
    }
    if (update != Update::kErase) bucket_store->Touch();
    NotingStore noting(bucket_store->store);
    KeyStore& store =
        update == Update::kInsertIfPresent ? static_cast<KeyStore&>(noting) : bucket_store->store;
    applied.num_applied +=
        UpdateBatch(ForUpdates(*bucket_store, store), update, keys.Subspan(first, count),
                    answers.empty() ? answers : answers.subspan(first / 64, (count + 63) / 64));
  }
  return applied;
}

WindowInsertOutcome RingWindow::OutcomeOf(size_t num_keys, const Applied& applied) {
  const WindowInsertOutcome outcome{
      .num_inserted = applied.num_applied,
      .num_refused = num_keys - applied.num_applied,
      .num_without_space = applied.num_reached - applied.num_without_store - applied.num_applied};
  if (outcome.num_without_space != 0) {
    num_without_space.fetch_add(outcome.num_without_space, std::memory_order_relaxed);
  }
  return outcome;
}

uint64_t RingWindow::Insert(Keys keys) {
  const Moment current = ring_.CurrentFromOutside();
  (void)OutcomeOf(keys.size(), UpdateIn(current.bucket, Update::kInsert, keys, {}));
  ring_.ClearShare(keys.size());
  return current.time;
}

WindowInsertOutcome RingWindow::InsertAt(Keys keys, uint64_t time) {
  Applied applied;
  if (time <= now()) {
    applied = UpdateIn(settings.times.BucketOf(time), Update::kInsert, keys, {});
    ring_.ClearShare(applied.num_applied);
  }
  return OutcomeOf(keys.size(), applied);
}

WindowInsertOutcome RingWindow::InsertNoting(Keys keys, std::optional<uint64_t> time,
                                             std::span<uint64_t> inserted, uint64_t& inserted_at) {
  const Moment current = ring_.CurrentFromOutside();
  inserted_at = time.value_or(current.time);
  Applied applied;
  if (inserted_at <= current.time) {
    applied =
        UpdateIn(settings.times.BucketOf(inserted_at), Update::kInsertIfPresent, keys, inserted);
    ring_.ClearShare(applied.num_applied);
  } else {
    std::ranges::fill(inserted, 0);
  }
  return OutcomeOf(keys.size(), applied);
}

uint64_t RingWindow::InsertOne(uint64_t digest) {
  uint64_t time = 0;
  {
    const GracePeriods::Reader reader = ring_.Enter();
    const Moment current = ring_.Current();
    // It is live as long as this thread is inside.
    BucketStore& bucket_store = *ring_.List().Find(current.bucket);
    bucket_store.Touch();
    const uint32_t lock_bits = ring_.locks().lock_bits();
    const uint64_t num_inserted = ApplyRange(ForUpdates(bucket_store), Update::kInsert, &digest,
                                             {0, 1}, RangeOf(digest, lock_bits), lock_bits, {});
    if (num_inserted == 0) num_without_space.fetch_add(1, std::memory_order_relaxed);
    time = current.time;
  }
  ring_.ClearShare(1);
  return time;
}

WindowEraseOutcome RingWindow::Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased) {
  Applied applied;
  if (inserted_at <= now()) {
    applied = UpdateIn(settings.times.BucketOf(inserted_at), Update::kErase, keys, erased);
  } else {
    std::ranges::fill(erased, 0);
  }
  return {.num_erased = applied.num_applied,
          .num_refused = applied.num_reached - applied.num_applied,
          .num_expired = keys.size() - applied.num_reached};
}

bool RingWindow::FindMissing(std::span<const uint64_t> digests, uint64_t inserted_at,
                             Shortfalls& shortfalls) {
  if (inserted_at > now()) return false;
  const uint64_t bucket = settings.times.BucketOf(inserted_at);
  bool is_live = true;
  const uint32_t lock_bits = ring_.locks().lock_bits();
  ForEachRange(digests, lock_bits, [&](size_t lock_idx, std::span<const uint64_t> of_range) {
    const GracePeriods::Reader reader = ring_.Enter();
    const BucketList& list = ring_.List();
    is_live = is_live && ring_.times().IsLive(bucket, list.Current().bucket);
    if (!is_live) return;
    BucketStore* const bucket_store = list.Find(bucket);
    if (bucket_store == nullptr) {  // never was current, so it has no keys
      NoteOfOneCounter(of_range, 0, shortfalls);
      return;
    }
    const RangeLocks::Held held = bucket_store->locks.Hold(lock_idx, lock_bits);
    bucket_store->store.FindMissing(of_range, shortfalls);
  });
  return is_live;
}

// --- Exclusive.

// Bucket by bucket; where one has no space for it, those before are as they were, and those that
// never were current have no store again.
Status RingWindow::Merge(WindowEngine& other) {
  BucketRing& theirs = static_cast<RingWindow&>(other).ring_;
  const BucketList ours = ring_.List();
  const BucketList list = theirs.List();
  const auto entries = list.Entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const BucketStore& from = *entries[i].bucket_store;
    if (!from.is_touched()) continue;
    BucketStore& into = ring_.Obtain(entries[i].bucket);
    into.Touch();
    if (into.store.Merge(from.store)) continue;
    for (size_t k = 0; k < i; ++k) {
      const BucketStore& merged = *entries[k].bucket_store;
      if (merged.is_touched()) ring_.Obtain(entries[k].bucket).store.TakeBack(merged.store);
    }
    ring_.GiveBack(ours);
    return OutOfMemoryError(
        side_limit_bytes != 0
            ? "the merged counts need more side memory than side_memory_limit_bytes"
            : "the system refused memory for the side tables of the merged counts");
  }
  for (const BucketList::Entry& entry : entries) {
    if (!entry.bucket_store->is_touched()) continue;
    // All count for the first lock: copies take all locks, so the sum is enough.
    const uint64_t num_keys_there = entry.bucket_store->locks.num_keys();
    BucketStore& into = ring_.Obtain(entry.bucket);
    into.locks.Hold(0, into.locks.lock_bits()).AddKeys(num_keys_there);
  }
  ring_.Advance(theirs.Current().time);  // within the bucket; an earlier time changes nothing
  return Ok();
}

Status RingWindow::LimitSideMemory(uint64_t limit_bytes) {
  const uint64_t num_stores = ring_.num_stores();
  const uint64_t num_bytes = num_stores * ring_.geometry().num_bytes();
  if (Status fits = CheckMemoryLimit("the window's stores and their side memory need",
                                     num_bytes + std::min(limit_bytes, ~num_bytes),
                                     settings.memory_limit_bytes);
      !fits.ok()) {
    return fits;
  }
  // At least a byte: less than suffices must be an error, and 0 would be no limit.
  const uint64_t of_store = limit_bytes == 0 ? 0 : std::max<uint64_t>(1, limit_bytes / num_stores);
  Status limited = ring_.LimitSideMemory(of_store);
  if (limited.ok()) {
    side_limit_bytes = limit_bytes;
  } else if (limited.error().code == ErrorCode::kInvalidArgument) {
    return Error{ErrorCode::kInvalidArgument,
                 "of " + GroupedText(limit_bytes) + " bytes each of " + GroupedText(num_stores) +
                     " stores has its share: " + limited.error().message};
  }
  return limited;
}

}  // namespace trommel
