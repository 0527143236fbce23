// SlotWindow: why its contract holds. (That a bucket is live as long as any of its keys must be,
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
#include "engine/src/window/slot_window.h"

#include <algorithm>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/batches/erase_all.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/radix_split.h"
#include "kernels/kernels.h"

namespace trommel {
namespace {

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

Result<std::unique_ptr<SlotWindow>> SlotWindow::Make(WindowSettings settings,
                                                     const Geometry& geometry, bool is_erasable,
                                                     uint64_t limit_bytes) {
  Result<StampedStore> store = StampedStore::Create(geometry, is_erasable, limit_bytes);
  if (!store) return store.error();
  return std::make_unique<SlotWindow>(std::move(settings), *std::move(store));
}

SlotWindow::SlotWindow(WindowSettings initial, StampedStore store)
    : WindowEngine(std::move(initial)),
      store_(std::move(store)),
      locks_(store_.lock_bits()),
      keys_of_(SharedLocks(locks_, NumKept(settings, store_))),
      clock_(settings.times, keys_of_.size() - 1) {}

// --- Time.

bool SlotWindow::Advance(uint64_t now) {
  const bool is_later = clock_.Advance(now, [&](uint64_t begin, uint64_t end) {
    for (uint64_t bucket = begin; bucket < end; ++bucket) KeysOf(bucket).ForgetKeys();
  });
  constexpr uint64_t kParts = 1024;
  if (is_later) SweepGroups(store_.num_groups() / kParts + 1);
  return is_later;
}

void SlotWindow::SweepShare(uint64_t num_keys) {
  // Once per window of `capacity` keys.
  const uint64_t owed = num_keys * store_.num_groups();
  const uint64_t before = sweep_owed_.fetch_add(owed, std::memory_order_relaxed);
  const uint64_t num_groups = (before + owed) / settings.capacity;
  if (num_groups == 0) return;
  sweep_owed_.fetch_sub(num_groups * settings.capacity, std::memory_order_relaxed);
  SweepGroups(std::min(num_groups, store_.num_groups()));
}

// Threads that insert single keys would meet at the counter: one of so many keys stands for them.
void SlotWindow::SweepShareOfOne(uint64_t digest) {
  constexpr uint64_t kStandsFor = 64;
  if (digest / 2 % kStandsFor == 0) SweepShare(kStandsFor);
}

void SlotWindow::SweepGroups(uint64_t num_groups) {
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

SlotWindow::Applied SlotWindow::UpdateIn(uint64_t bucket, Update update, Keys keys,
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
    applied.num_applied += UpdateBatch(
        {.store = view, .policy = settings.policy, .executor = executor, .locks = &KeysOf(bucket)},
        update, keys.Subspan(first, count),
        answers.empty() ? answers : answers.subspan(first / 64, (count + 63) / 64));
  }
  return applied;
}

WindowInsertOutcome SlotWindow::OutcomeOf(size_t num_keys, const Applied& applied) {
  const WindowInsertOutcome outcome{.num_inserted = applied.num_applied,
                                    .num_refused = num_keys - applied.num_applied,
                                    .num_without_space = applied.num_reached - applied.num_applied};
  if (outcome.num_without_space != 0) {
    num_without_space.fetch_add(outcome.num_without_space, std::memory_order_relaxed);
  }
  return outcome;
}

bool SlotWindow::UpdateOneInside(const WindowClock::Inside& inside, Update update,
                                 uint64_t digest) {
  const uint64_t bucket = inside.moment().bucket;
  const uint32_t lock_bits = locks_.lock_bits();
  store_.FetchAhead(std::span(&digest, 1));
  RangeLocks::Held held = KeysOf(bucket).Hold(RangeOf(digest, lock_bits), lock_bits);
  bool is_refused = false;
  const bool is_applied = store_.UpdateOne(update, SpanOf(inside, bucket), digest, &is_refused);
  if (is_refused) num_without_space.fetch_add(1, std::memory_order_relaxed);
  held.AddKeys(uint64_t{is_applied});
  return is_applied;
}

uint64_t SlotWindow::Insert(Keys keys) {
  const WindowMoment moment = clock_.Enter().moment();
  (void)OutcomeOf(keys.size(), UpdateIn(moment.bucket, Update::kInsert, keys, {}));
  SweepShare(keys.size());
  return moment.time;
}

WindowInsertOutcome SlotWindow::InsertNoting(Keys keys, std::optional<uint64_t> time,
                                             std::span<uint64_t> inserted, uint64_t& inserted_at) {
  const WindowMoment moment = clock_.Enter().moment();
  inserted_at = time.value_or(moment.time);
  Applied applied;
  if (inserted_at <= moment.time) {
    applied =
        UpdateIn(settings.times.BucketOf(inserted_at), Update::kInsertIfPresent, keys, inserted);
    SweepShare(applied.num_reached);
  } else {
    std::ranges::fill(inserted, 0);
  }
  return OutcomeOf(keys.size(), applied);
}

WindowInsertOutcome SlotWindow::InsertAt(Keys keys, uint64_t time) {
  Applied applied;
  if (time <= clock_.now()) {
    applied = UpdateIn(settings.times.BucketOf(time), Update::kInsert, keys, {});
    SweepShare(applied.num_reached);
  }
  return OutcomeOf(keys.size(), applied);
}

uint64_t SlotWindow::InsertOne(uint64_t digest) {
  uint64_t time = 0;
  {
    const WindowClock::Inside inside = clock_.Enter();
    UpdateOneInside(inside, Update::kInsert, digest);
    time = inside.moment().time;
  }
  SweepShareOfOne(digest);
  return time;
}

size_t SlotWindow::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                  std::span<uint64_t> times) {
  size_t num_inserted = 0;
  for (size_t first = 0; first < keys.size(); first += kAloneKeys) {
    const WindowClock::Inside inside = clock_.Enter();
    const size_t count = std::min(kAloneKeys, keys.size() - first);
    StampedView view(store_, SpanOf(inside, inside.moment().bucket));
    num_inserted += UpdateBatch(
        {.store = view, .policy = settings.policy, .locks = &KeysOf(inside.moment().bucket)},
        Update::kInsertIfAbsent, keys.Subspan(first, count),
        inserted.subspan(first / 64, (count + 63) / 64));
    num_without_space.fetch_add(view.num_refused(), std::memory_order_relaxed);
    if (!times.empty()) times[first / kAloneKeys] = inside.moment().time;
  }
  SweepShare(num_inserted);
  return num_inserted;
}

bool SlotWindow::InsertOneIfAbsent(uint64_t digest, uint64_t* inserted_at) {
  bool is_inserted = false;
  {
    const WindowClock::Inside inside = clock_.Enter();
    is_inserted = UpdateOneInside(inside, Update::kInsertIfAbsent, digest);
    if (inserted_at != nullptr) *inserted_at = inside.moment().time;
  }
  if (is_inserted) SweepShareOfOne(digest);
  return is_inserted;
}

WindowEraseOutcome SlotWindow::Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased) {
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

bool SlotWindow::FindMissing(std::span<const uint64_t> digests, uint64_t inserted_at,
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

void SlotWindow::CountChunk(std::span<const uint64_t> digests, std::span<uint64_t> counts) {
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

Status SlotWindow::Merge(WindowEngine& other) {
  if (side_limit_bytes != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "this filter's side memory has a limit, and how much the merged filter needs is "
                 "not known beforehand: lift it (LimitSideMemory(0)) and set it again"};
  }
  auto& theirs = static_cast<SlotWindow&>(other);
  const uint64_t first_live = clock_.first_live();
  store_.Merge(theirs.store_, first_live);
  const uint64_t current = settings.times.BucketOf(now());
  for (uint64_t i = 0; i <= current - first_live; ++i) {
    // All count for the first lock: files have the sum alone.
    const uint64_t b = first_live + i;
    KeysOf(b).Hold(0, locks_.lock_bits()).AddKeys(theirs.KeysOf(b).num_keys());
  }
  Advance(theirs.now());  // within the bucket; an earlier time changes nothing
  return Ok();
}

Status SlotWindow::LimitSideMemory(uint64_t limit_bytes) {
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

void SlotWindow::Clear() {
  store_.Clear(clock_.first_live());
  for (RangeLocks& keys : keys_of_) keys.ForgetKeys();
  sweep_owed_.store(0, std::memory_order_relaxed);
}

}  // namespace trommel
