// WindowFilter: why its contract holds. (That a bucket is live as long as any of its keys must be,
// and at most one bucket longer, is arithmetic: time_buckets.h.)
//
// *A slot's bucket is exact.* A group's first bucket plus the slot's stamp is the bucket of the
// last insertion, whatever the time is: stamps do not wrap around, and a writer that needs a larger
// one sweeps the group first. So nothing need be swept before an identifier comes round again, a
// leap of time changes no memory, and a reader needs no current bucket to read a slot, only
// first_live to judge it.
//
// *Queries* load first_live, which only rises, and then read the group between two loads of its
// version (kernels/group_versions.h): an "absent" that counts was read between two changes of the
// group. Take a key inserted at t, an insertion that happened before the query, and no Advance to
// t + window or later that has begun. Then the first_live that the query loads is no later than t's
// bucket, and so is every first_kept: no writer has overwritten the key's slot, swept it, or moved
// it out of sight (a change of the group keeps what is not before first_kept). The slot's bucket is
// t's or a later one, for refreshes never lower it and an erasure that steps back leaves the
// youngest copy that is in. So it is shown, or its block says that more is elsewhere. That the
// query may see a bucket that is younger than the current one when it loaded first_live does no
// harm: a bucket is compared with first_live alone.
//
// *Overwriting.* An update sees a moment, and takes buckets from its first_live on as present.
// Advance publishes the bucket, waits until the updates that saw an earlier moment have ended
// (their chunks), and then raises first_kept. So what an update may see as live is not overwritten
// while it runs; which is what InsertIfAbsent needs, whose answers are those of its time t although
// the clock goes on: under the lock of a key it finds every insertion of it that was live at t,
// those of later buckets included.
//
// *Counts.* Each kept bucket has counters of its own. When a bucket is forgotten no update is
// inside that could add to it; its counters are used again by a bucket that updates see only when
// first_kept has passed the old one (WindowClock::Enter).
//
// *Linearizable.* An update of a key is one change under the lock of its range.
//
// *No deadlock.* A thread inside may wait for a lock. A thread that holds a lock waits for nothing.
// Advance waits for the threads inside, and holds the clock, not a lock. A thread that waits for
// first_kept is not inside.
#include "engine/src/window/window_filter_impl.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/batches/erase_all.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/keys/radix_split.h"
#include "engine/src/window/stamped_view.h"
#include "kernels/kernels.h"

namespace trommel {
namespace {

// The keys of one grace period: Advance waits for them. Spread over threads they take no longer.
constexpr size_t kAloneKeys = kernels::kMaxChunkKeys;
constexpr size_t kSpreadKeys = size_t{1} << 17;

static_assert(WindowFilter::kChunkKeys == kernels::kMaxChunkKeys);

// So many buckets the clock may leap without making updates wait.
constexpr uint64_t kSpareBuckets = 3;

uint64_t NumKept(const WindowSettings& settings, const StampedStore& store) {
  return std::min(store.max_stamp(), settings.times.num_buckets + kSpareBuckets) + 1;
}

std::vector<RangeLocks> SharedLocks(const RangeLocks& locks, uint64_t num) {
  std::vector<RangeLocks> shared;
  for (uint64_t i = 0; i < num; ++i) shared.push_back(RangeLocks::Sharing(locks));
  return shared;
}

}  // namespace

WindowFilter::Impl::Impl(WindowSettings initial, StampedStore store)
    : settings(std::move(initial)),
      store_(std::move(store)),
      locks_(store_.lock_bits()),
      keys_of_(SharedLocks(locks_, NumKept(settings, store_))),
      clock_(settings.times, keys_of_.size() - 1) {
  one.HashBy(settings.policy);
}

WindowFilter::Impl::Impl(WindowSettings initial, WindowImage image)
    : Impl(std::move(initial), std::move(image.store)) {
  clock_.StartAt(image.now);
  const uint64_t first_live = clock_.first_live();
  for (size_t i = 0; i < image.keys_of_buckets.size(); ++i) {
    // All count for the first lock: files have the sum alone.
    KeysOf(first_live + i).Hold(0, locks_.lock_bits()).AddKeys(image.keys_of_buckets[i]);
  }
}

// --- Time.

bool WindowFilter::Impl::Advance(uint64_t now) {
  const bool is_later = clock_.Advance(now, [&](uint64_t begin, uint64_t end) {
    for (uint64_t bucket = begin; bucket < end; ++bucket) KeysOf(bucket).ForgetKeys();
  });
  constexpr uint64_t kParts = 1024;
  if (is_later) SweepGroups(store_.num_groups() / kParts + 1);
  return is_later;
}

void WindowFilter::Impl::SweepShare(uint64_t num_keys) {
  // With a limit there is no memory to free, and what a batch refuses must not depend on how it is
  // cut, which sweeps between batches would make it do.
  if (store_.has_side_limit()) return;
  // Once per window of `capacity` keys.
  const uint64_t owed = num_keys * store_.num_groups();
  const uint64_t before = sweep_owed_.fetch_add(owed, std::memory_order_relaxed);
  const uint64_t num_groups = (before + owed) / settings.capacity;
  if (num_groups == 0) return;
  sweep_owed_.fetch_sub(num_groups * settings.capacity, std::memory_order_relaxed);
  SweepGroups(std::min(num_groups, store_.num_groups()));
}

// Threads that insert single keys would meet at the counter: one of so many keys stands for them.
void WindowFilter::Impl::SweepShareOfOne(uint64_t digest) {
  constexpr uint64_t kStandsFor = 64;
  if (digest / 2 % kStandsFor == 0) SweepShare(kStandsFor);
}

void WindowFilter::Impl::SweepGroups(uint64_t num_groups) {
  const uint64_t first = next_swept_.fetch_add(num_groups, std::memory_order_relaxed);
  const uint64_t per_lock = store_.num_groups() >> locks_.lock_bits();
  for (uint64_t i = 0; i < num_groups; ++i) {
    const uint64_t group_idx = (first + i) % store_.num_groups();
    const WindowClock::Inside inside = clock_.Enter();
    const RangeLocks::Held held = locks_.Hold(group_idx / per_lock, locks_.lock_bits());
    store_.SweepOneGroup(group_idx, inside.first_kept());
  }
}

// --- Updates.

WindowFilter::Impl::Applied WindowFilter::Impl::UpdateIn(uint64_t bucket, Update update, Keys keys,
                                                         std::span<uint64_t> answers) {
  Executor* executor = settings.executor.get();
  const bool is_spread = executor != nullptr && executor->num_threads() > 1;
  const size_t part_keys = is_spread ? kSpreadKeys : kAloneKeys;
  std::ranges::fill(answers, 0);
  Applied applied;
  for (size_t first = 0; first < keys.size(); first += part_keys) {
    const WindowClock::Inside inside = clock_.Enter();
    if (!settings.times.IsLive(bucket, inside.moment().bucket)) break;
    const size_t count = std::min(part_keys, keys.size() - first);
    applied.num_reached += count;
    StampedView view(store_, SpanOf(inside, bucket));
    const BatchTarget target{
        .store = view, .policy = settings.policy, .executor = executor, .locks = &KeysOf(bucket)};
    const auto part = answers.empty() ? answers : answers.subspan(first / 64, (count + 63) / 64);
    applied.num_applied +=
        UpdateBatch(target, update, keys.Subspan(first, count), part).num_applied;
  }
  return applied;
}

WindowInsertOutcome WindowFilter::Impl::OutcomeOf(size_t num_keys, const Applied& applied) {
  const WindowInsertOutcome outcome{.num_inserted = applied.num_applied,
                                    .num_refused = num_keys - applied.num_applied,
                                    .num_without_space = applied.num_reached - applied.num_applied};
  if (outcome.num_refused != 0) {
    num_without_space_.fetch_add(outcome.num_without_space, std::memory_order_relaxed);
    num_untimely_inserts_.fetch_add(num_keys - applied.num_reached, std::memory_order_relaxed);
  }
  return outcome;
}

bool WindowFilter::Impl::UpdateOneInside(const WindowClock::Inside& inside, Update update,
                                         uint64_t digest) {
  const uint64_t bucket = inside.moment().bucket;
  const uint32_t lock_bits = locks_.lock_bits();
  store_.FetchAhead(std::span(&digest, 1));
  RangeLocks::Held held = KeysOf(bucket).Hold(RangeOf(digest, lock_bits), lock_bits);
  const Fate fate = store_.UpdateOne(update, SpanOf(inside, bucket), digest);
  if (fate == Fate::kRefused) num_without_space_.fetch_add(1, std::memory_order_relaxed);
  held.AddKeys(uint64_t{fate == Fate::kChanged});
  return fate == Fate::kChanged;
}

uint64_t WindowFilter::Impl::Insert(Keys keys) {
  const WindowMoment moment = clock_.Enter().moment();
  (void)OutcomeOf(keys.size(), UpdateIn(moment.bucket, Update::kInsert, keys, {}));
  SweepShare(keys.size());
  return moment.time;
}

WindowInsertOutcome WindowFilter::Impl::InsertNoting(Keys keys, std::optional<uint64_t> time,
                                                     std::span<uint64_t> inserted,
                                                     uint64_t& inserted_at) {
  const WindowMoment moment = clock_.Enter().moment();
  inserted_at = time.value_or(moment.time);
  Applied applied;
  if (inserted_at <= moment.time) {
    applied = UpdateIn(settings.times.BucketOf(inserted_at), Update::kInsert, keys, inserted);
    SweepShare(applied.num_reached);
  } else {
    std::ranges::fill(inserted, 0);
  }
  return OutcomeOf(keys.size(), applied);
}

WindowInsertOutcome WindowFilter::Impl::InsertAt(Keys keys, uint64_t time) {
  Applied applied;
  if (time <= clock_.now()) {
    applied = UpdateIn(settings.times.BucketOf(time), Update::kInsert, keys, {});
    SweepShare(applied.num_reached);
  }
  return OutcomeOf(keys.size(), applied);
}

uint64_t WindowFilter::Impl::InsertOne(uint64_t digest) {
  uint64_t time = 0;
  {
    const WindowClock::Inside inside = clock_.Enter();
    UpdateOneInside(inside, Update::kInsert, digest);
    time = inside.moment().time;
  }
  SweepShareOfOne(digest);
  return time;
}

size_t WindowFilter::Impl::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                          std::span<uint64_t> times) {
  size_t num_inserted = 0;
  for (size_t first = 0; first < keys.size(); first += kAloneKeys) {
    const WindowClock::Inside inside = clock_.Enter();
    const size_t count = std::min(kAloneKeys, keys.size() - first);
    StampedView view(store_, SpanOf(inside, inside.moment().bucket));
    const UpdateOutcome outcome = UpdateBatch(
        {.store = view, .policy = settings.policy, .locks = &KeysOf(inside.moment().bucket)},
        Update::kInsertIfAbsent, keys.Subspan(first, count),
        inserted.subspan(first / 64, (count + 63) / 64));
    num_inserted += outcome.num_applied;
    num_without_space_.fetch_add(outcome.num_refused, std::memory_order_relaxed);
    if (!times.empty()) times[first / kAloneKeys] = inside.moment().time;
  }
  SweepShare(num_inserted);
  return num_inserted;
}

bool WindowFilter::Impl::InsertOneIfAbsent(uint64_t digest, uint64_t* inserted_at) {
  bool is_inserted = false;
  {
    const WindowClock::Inside inside = clock_.Enter();
    is_inserted = UpdateOneInside(inside, Update::kInsertIfAbsent, digest);
    if (inserted_at != nullptr) *inserted_at = inside.moment().time;
  }
  if (is_inserted) SweepShareOfOne(digest);
  return is_inserted;
}

void WindowFilter::Impl::Count(const EraseOutcome& outcome) {
  num_refused_erases_.fetch_add(outcome.num_refused, std::memory_order_relaxed);
  num_expired_erases_.fetch_add(outcome.num_expired, std::memory_order_relaxed);
}

EraseOutcome WindowFilter::Impl::Erase(Keys keys, uint64_t inserted_at,
                                       std::span<uint64_t> erased) {
  EraseOutcome outcome{.num_refused = keys.size()};
  if (is_erasable()) {
    outcome = EraseUncounted(keys, inserted_at, erased);
  } else {
    std::ranges::fill(erased, 0);
  }
  Count(outcome);
  return outcome;
}

EraseOutcome WindowFilter::Impl::EraseUncounted(Keys keys, uint64_t inserted_at,
                                                std::span<uint64_t> erased) {
  Applied applied;
  if (inserted_at <= clock_.now()) {
    applied = UpdateIn(settings.times.BucketOf(inserted_at), Update::kErase, keys, erased);
  } else {
    std::ranges::fill(erased, 0);
  }
  return {.num_erased = applied.num_applied,
          .num_refused = applied.num_reached - applied.num_applied,
          .num_expired = keys.size() - applied.num_reached};
}

bool WindowFilter::Impl::FindMissing(std::span<const uint64_t> digests, uint64_t inserted_at,
                                     Shortfalls& shortfalls) {
  if (inserted_at > clock_.now()) return false;
  const uint64_t bucket = settings.times.BucketOf(inserted_at);
  bool is_live = true;
  ForEachRange(digests, locks_.lock_bits(),
               [&](size_t lock_idx, std::span<const uint64_t> of_range) {
                 const WindowClock::Inside inside = clock_.Enter();
                 is_live = is_live && settings.times.IsLive(bucket, inside.moment().bucket);
                 if (!is_live) return;
                 const RangeLocks::Held held = locks_.Hold(lock_idx, locks_.lock_bits());
                 store_.FindMissing(bucket, of_range, shortfalls);
               });
  return is_live;
}

void WindowFilter::Impl::CountChunk(std::span<const uint64_t> digests, std::span<uint64_t> counts) {
  const uint32_t lock_bits = locks_.lock_bits();
  store_.FetchAhead(digests);
  for (size_t i = 0; i < digests.size(); ++i) {
    const uint64_t digest = digests[i];  // read once, for the lock and what it guards
    const uint64_t first_live = clock_.first_live();
    const RangeLocks::Held held = locks_.Hold(RangeOf(digest, lock_bits), lock_bits);
    counts[i] = store_.CountEstimate(first_live, digest);
  }
}

// --- Exclusive.

std::string WindowFilter::Impl::DifferenceFrom(Impl& other) {
  const TimeBuckets& ours = settings.times;
  const TimeBuckets& theirs = other.settings.times;
  if (ours.window != theirs.window) return FieldDiffers("window", ours.window, theirs.window);
  if (ours.num_buckets != theirs.num_buckets) {
    return FieldDiffers("num_buckets", ours.num_buckets, theirs.num_buckets);
  }
  if (is_erasable() != other.is_erasable()) {
    const auto text = [](bool value) { return value ? "true" : "false"; };
    return FieldDiffers("is_erasable", text(is_erasable()), text(other.is_erasable()));
  }
  std::string difference =
      DifferenceOf(geometry(), settings.policy, other.geometry(), other.settings.policy);
  if (!difference.empty()) return difference;
  const uint64_t bucket_here = ours.BucketOf(now());
  const uint64_t bucket_there = ours.BucketOf(other.now());
  if (bucket_here == bucket_there) return "";
  return FieldDiffers("first tick of the current bucket", ours.FirstTick(bucket_here),
                      ours.FirstTick(bucket_there));
}

Status WindowFilter::Impl::Merge(Impl& other) {
  if (side_limit_bytes != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "this filter's side memory has a limit, and how much the merged filter needs is "
                 "not known beforehand: lift it (LimitSideMemory(0)) and set it again"};
  }
  const uint64_t first_live = clock_.first_live();
  store_.Merge(other.store_, first_live);
  const uint64_t current = settings.times.BucketOf(now());
  for (uint64_t i = 0; i <= current - first_live; ++i) {
    // All count for the first lock: files have the sum alone.
    const uint64_t b = first_live + i;
    KeysOf(b).Hold(0, locks_.lock_bits()).AddKeys(other.KeysOf(b).num_keys());
  }
  Advance(other.now());  // within the bucket; an earlier time changes nothing
  return Ok();
}

Status WindowFilter::Impl::LimitSideMemory(uint64_t limit_bytes) {
  const uint64_t num_bytes = store_.num_bytes();
  if (Status fits = CheckMemoryLimit("the window and its side memory need",
                                     num_bytes + std::min(limit_bytes, ~num_bytes),
                                     settings.memory_limit_bytes);
      !fits.ok()) {
    return fits;
  }
  Status limited = store_.LimitSideMemory(limit_bytes, clock_.first_live());
  if (limited.ok()) side_limit_bytes = limit_bytes;
  return limited;
}

void WindowFilter::Impl::Clear() {
  store_.Clear(clock_.first_live());
  for (RangeLocks& keys : keys_of_) keys.ForgetKeys();
  sweep_owed_.store(0, std::memory_order_relaxed);
  num_without_space_ = 0;
  num_untimely_inserts_ = 0;
  num_refused_erases_ = 0;
  num_expired_erases_ = 0;
}

}  // namespace trommel
