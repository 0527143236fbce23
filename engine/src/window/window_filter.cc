// WindowFilter: why its contract holds. (That a bucket is live as long as any of its keys must be,
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
#include "trommel/window_filter.h"

#include <string>
#include <utility>

#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/keys/radix_split.h"
#include "engine/src/window/window_filter_impl.h"

namespace trommel {
namespace {

// The keys of one grace period: Advance waits for them. Spread over threads they take no longer.
constexpr size_t kAloneKeys = kernels::kMaxChunkKeys;
constexpr size_t kSpreadKeys = size_t{1} << 17;

template <class Impl>
void CheckUnused(Impl* impl) {
  if (impl == nullptr) return;
  [[maybe_unused]] const auto access = impl->access_check.EnterExclusive();
}

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
  const uint64_t bucket_here = a.ring.Current().bucket;
  const uint64_t bucket_there = b.ring.Current().bucket;
  if (bucket_here == bucket_there) return "";
  return FieldDiffers("first tick of the current bucket", ours.FirstTick(bucket_here),
                      ours.FirstTick(bucket_there));
}

}  // namespace

WindowFilter::WindowFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
WindowFilter::WindowFilter(WindowFilter&& other) noexcept { *this = std::move(other); }
WindowFilter& WindowFilter::operator=(WindowFilter&& other) noexcept {
  CheckUnused(impl_.get());
  CheckUnused(other.impl_.get());
  impl_ = std::move(other.impl_);
  return *this;
}
WindowFilter::~WindowFilter() { CheckUnused(impl_.get()); }

// --- Time.

bool WindowFilter::Advance(uint64_t now) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->ring.Advance(now);
}

uint64_t WindowFilter::now() const noexcept { return impl_->ring.CurrentFromOutside().time; }

// --- Updates.

WindowFilter::Impl::Applied WindowFilter::Impl::UpdateIn(uint64_t bucket, Update update, Keys keys,
                                                         std::span<uint64_t> answers) {
  const bool is_spread = executor != nullptr && executor->num_threads() > 1;
  const size_t part_keys = is_spread ? kSpreadKeys : kAloneKeys;
  std::ranges::fill(answers, 0);
  Applied applied;
  for (size_t first = 0; first < keys.size(); first += part_keys) {
    const GracePeriods::Reader reader = ring.Enter();
    const BucketList& list = ring.List();
    if (!ring.times().IsLive(bucket, list.Current().bucket)) break;
    const size_t count = std::min(part_keys, keys.size() - first);
    applied.num_reached += count;
    BucketStore* bucket_store = list.Find(bucket);
    if (bucket_store == nullptr) continue;  // never was current, so it has no keys
    if (update == Update::kInsert) bucket_store->Touch();
    applied.num_applied +=
        UpdateBatch(ForUpdates(*bucket_store), update, Subspan(keys, first, count),
                    answers.empty() ? answers : answers.subspan(first / 64, (count + 63) / 64));
  }
  return applied;
}

WindowFilter::Impl::Applied WindowFilter::Impl::UpdateOneIn(uint64_t bucket, Update update,
                                                            uint64_t digest) {
  const BucketList& list = ring.List();
  if (!ring.times().IsLive(bucket, list.Current().bucket)) return {};
  BucketStore* bucket_store = list.Find(bucket);
  if (bucket_store == nullptr) return {0, 1};
  if (update == Update::kInsert) bucket_store->Touch();
  uint64_t bit = 0;
  const uint32_t lock_bits = ring.locks().lock_bits();
  const uint64_t num_applied =
      ApplyRange(ForUpdates(*bucket_store), update, &digest, {0, 1}, RangeOf(digest, lock_bits),
                 lock_bits, std::span(&bit, 1));
  return {num_applied, 1};
}

WindowEraseOutcome WindowFilter::Impl::Erase(Keys keys, uint64_t inserted_at,
                                             std::span<uint64_t> erased) {
  Applied applied;
  if (inserted_at <= ring.CurrentFromOutside().time) {
    applied = UpdateIn(ring.times().BucketOf(inserted_at), Update::kErase, keys, erased);
  } else {
    std::ranges::fill(erased, 0);
  }
  const WindowEraseOutcome outcome{.num_erased = applied.num_applied,
                                   .num_refused = applied.num_reached - applied.num_applied,
                                   .num_expired = keys.size() - applied.num_reached};
  num_refused_erases.fetch_add(outcome.num_refused, std::memory_order_relaxed);
  num_expired_erases.fetch_add(outcome.num_expired, std::memory_order_relaxed);
  return outcome;
}

uint64_t WindowFilter::Insert(Keys keys) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const Moment current = impl_->ring.CurrentFromOutside();
  impl_->UpdateIn(current.bucket, Update::kInsert, keys, {});
  impl_->ring.ClearShare(keys.size());
  return current.time;
}

WindowEraseOutcome WindowFilter::Erase(Keys keys, uint64_t inserted_at) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Erase(keys, inserted_at, {});
}

WindowEraseOutcome WindowFilter::Erase(Keys keys, uint64_t inserted_at,
                                       std::span<uint64_t> erased) noexcept {
  CheckBitmap(keys, erased);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Erase(keys, inserted_at, erased);
}

// --- One key.

uint64_t WindowFilter::Insert(Key key) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_->policy(key);
  uint64_t time = 0;
  {
    const GracePeriods::Reader reader = impl_->ring.Enter();
    const Moment current = impl_->ring.Current();
    impl_->UpdateOneIn(current.bucket, Update::kInsert, digest);
    time = current.time;
  }
  impl_->ring.ClearShare(1);
  return time;
}

bool WindowFilter::Erase(Key key, uint64_t inserted_at) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_->policy(key);
  return impl_->Erase(Keys::Digests(std::span(&digest, 1)), inserted_at, {}).num_erased == 1;
}

// --- What it is.

void WindowFilter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->executor = std::move(executor);
}

uint64_t WindowFilter::window() const noexcept { return impl_->ring.times().window; }
uint32_t WindowFilter::num_buckets() const noexcept { return impl_->ring.times().num_buckets; }
uint64_t WindowFilter::bucket_ticks() const noexcept { return impl_->ring.times().LongestTicks(); }
const Geometry& WindowFilter::geometry() const noexcept { return impl_->ring.geometry(); }
const DigestPolicy& WindowFilter::digest_policy() const noexcept { return impl_->policy; }
uint64_t WindowFilter::capacity() const noexcept { return impl_->capacity; }
uint64_t WindowFilter::bucket_capacity() const noexcept { return impl_->bucket_capacity; }
double WindowFilter::target_fpr() const noexcept { return impl_->target_fpr; }

// --- Exclusive.

Status WindowFilter::Merge(const WindowFilter& other) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  BucketRing& ours = impl_->ring;
  BucketRing& theirs = other.impl_->ring;
  const std::string difference = Difference(*impl_, *other.impl_);
  if (Status good = CheckMerge(difference, num_keys(), other.num_keys()); !good) return good;
  const BucketList list = theirs.List();
  for (const BucketList::Entry& entry : list.Entries()) {
    if (!entry.bucket_store->is_touched()) continue;
    BucketStore& into = ours.Obtain(entry.bucket);
    into.Touch();
    const uint64_t num_keys_there = entry.bucket_store->locks.num_keys();
    into.store.Merge(entry.bucket_store->store);
    // All count for the first lock: copies take all locks, so the sum is enough.
    into.locks.Hold(0, into.locks.lock_bits()).AddKeys(num_keys_there);
  }
  ours.Advance(theirs.Current().time);  // within the bucket; an earlier time changes nothing
  return Ok();
}

void WindowFilter::Clear() noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->ring.Clear();
  impl_->num_refused_erases = 0;
  impl_->num_expired_erases = 0;
}

}  // namespace trommel
