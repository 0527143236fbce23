// Board: the exact model of a round, which its threads share: what they know for certain about each
// other's keys.
//
// Time measured by a clock decides nothing here: the scheduler may stop a thread for seconds
// between any two statements.
//
//   own keys    Each has one writer. The writer posts "n copies are in" after it inserts them, and
//               withdraws one before it begins to erase one; each withdrawal begins a new epoch of
//               the key. A reader that finds the same epoch before and after its call knows that
//               the copies posted before were not erased during the call.
//   hot keys    A token is the right to erase one copy, and the certainty that it is in. Inserting
//               makes tokens; writers and readers take them from the board.
//   races       Each has epochs: all writers call InsertIfAbsent once, in any order, and the last
//               of them counts how many were told "new", erases the key and opens the next epoch.
//               No writer waits. Keys that expire are not erased: only time removes them.
//   time        No thread can read the time and query the filter in one step. So the ticker
//               announces the time to which it will advance before it does (`begun`), and callers
//               read that after their call. A caller that reads `begun` before the announcement
//               made its call before that Advance, and the filter must answer as of the time
//               before.
//
// Claims and announcements are changed by read-modify-writes with acquire and release, and so are
// the second looks at them. A second look either happened before the change, and then its call saw
// nothing of it, or it sees the change (Boehm, "Can seqlocks get along with programming language
// memory models?": read-don't-modify-write).
#ifndef TROMMEL_TOOLS_STRESS_THREADS_BOARD_H_
#define TROMMEL_TOOLS_STRESS_THREADS_BOARD_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tools/stress/plans/key_table.h"
#include "tools/stress/plans/mix.h"
#include "tools/stress/records/thread_record.h"
#include "tools/stress/subjects/subject.h"

namespace trommel::stress {

// Copies of one key that entered one bucket. Keys that do not expire are all in bucket 0.
struct Copies {
  uint64_t bucket = 0;
  uint64_t count = 0;
};

// What is known of one of a writer's own keys:
//
//   63 .. 44    43 .. 24    23 .. 0
//   epoch       bucket      count: at least so many copies are in this bucket
class Claim {
 public:
  struct Known {
    uint64_t epoch = 0;
    Copies copies;
  };

  // By the owner only. After inserting: the copies of the latest bucket.
  void Post(const Copies& copies) { Change(copies, 0); }
  // Before erasing a copy: those of the latest bucket that will remain.
  void Withdraw(const Copies& remaining) { Change(remaining, 1); }

  Known Look() const { return Of(word_.load(std::memory_order_acquire)); }
  // Whether no copy was withdrawn since the look.
  bool StillHolds(const Known& known) {
    return Of(word_.fetch_add(0, std::memory_order_acq_rel)).epoch == known.epoch;
  }

 private:
  static constexpr int kEpochShift = 44;
  static constexpr int kBucketShift = 24;
  static constexpr uint64_t kMostBuckets = uint64_t{1} << (kEpochShift - kBucketShift);
  static Known Of(uint64_t word) {
    return {word >> kEpochShift,
            {(word >> kBucketShift) % kMostBuckets, word % (uint64_t{1} << kBucketShift)}};
  }
  void Change(const Copies& copies, uint64_t num_epochs) {
    // Of later buckets nothing is claimed.
    const Copies posted = copies.bucket < kMostBuckets ? copies : Copies{};
    const uint64_t epoch = Of(word_.load(std::memory_order_relaxed)).epoch + num_epochs;
    word_.exchange(epoch << kEpochShift | posted.bucket << kBucketShift | posted.count,
                   std::memory_order_acq_rel);
  }

  std::atomic<uint64_t> word_ = 0;
};

class alignas(64) Tokens {
 public:
  void Put(const Copies& copies) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = std::ranges::find(copies_, copies.bucket, &Copies::bucket);
    if (at != copies_.end()) {
      at->count += copies.count;
    } else if (copies.count > 0) {
      copies_.push_back(copies);
    }
  }
  // At most `max` tokens, all of one bucket.
  Copies Take(uint64_t max) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (copies_.empty()) return {};
    Copies& from = copies_.back();
    const Copies taken = {from.bucket, std::min(from.count, max)};
    from.count -= taken.count;
    if (from.count == 0) copies_.pop_back();
    return taken;
  }
  void DropExpired(const WindowSpan& span, uint64_t now) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(copies_, [&](const Copies& some) { return !span.IsLive(some.bucket, now); });
  }
  std::vector<Copies> all() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return copies_;
  }
  uint64_t count() const {
    uint64_t count = 0;
    for (const Copies& some : all()) count += some.count;
    return count;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Copies> copies_;
};

// A writer was told "new" of a key: it entered this bucket, and no Advance beyond `begun` had begun
// when the call ended.
struct ToldNew {
  uint64_t bucket = 0;
  uint64_t begun = 0;
};

struct alignas(64) Race {
  std::atomic<uint32_t> epoch = 0;
  std::atomic<uint32_t> num_arrived = 0;  // writers that called in this epoch
  std::mutex mutex;
  std::vector<ToldNew> told;  // in this epoch, and of keys that expire, in earlier ones
};

struct Board : RoundState {
  Board(const RoundPlan& round_plan, Subject& round_subject)
      : plan(round_plan),
        subject(round_subject),
        expires(round_subject.expires()),
        span(round_subject.span()),
        keys(plan, expires || subject.grows() ? 0 : subject.num_blocks()),
        claims(std::make_unique<Claim[]>(plan.num_private())),
        tokens(std::make_unique<Tokens[]>(plan.mix.num_hot)),
        races(std::make_unique<Race[]>(plan.mix.num_races)),
        reserved_side_bytes(subject.GetStats().side_table_bytes) {}

  // The latest time to which an Advance has begun, read after a call. Where no time passes, threads
  // must not synchronize here: that could hide a race in the filter.
  uint64_t Begun() { return expires ? begun.fetch_add(0, std::memory_order_acq_rel) : 0; }
  // The invariant that a missing key violates.
  Invariant presence() const {
    return expires ? Invariant::kWithinWindow : Invariant::kNoFalseNegative;
  }

  const RoundPlan& plan;
  Subject& subject;
  const bool expires;
  const WindowSpan span;
  const KeyTable keys;
  const std::unique_ptr<Claim[]> claims;  // by id
  const std::unique_ptr<Tokens[]> tokens;
  const std::unique_ptr<Race[]> races;
  alignas(64) std::atomic<uint64_t> begun = 0;
  const uint64_t reserved_side_bytes;  // of the filter when it was empty
  Totals totals;                       // of all threads, when they have joined
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_THREADS_BOARD_H_
