// WindowClock: the time of a window, and which buckets count.
//
//   bucket    3 | 4 | 5 | 6 | 7 | 8 | 9      num_buckets = 4, the time has just entered 9
//                 ^       ^           ^
//        first_kept   first_live   current
//
// A call sees a moment: the current bucket, from which first_live follows. What expires must not be
// overwritten while a call that began before sees it as live: first_kept follows first_live when
// all such calls have ended (a grace period). Queries need none: a first_live that is too old only
// makes more keys present.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_WINDOW_CLOCK_H_
#define TROMMEL_ENGINE_SRC_WINDOW_WINDOW_CLOCK_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/src/window/time_buckets.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

// A moment of the clock: a time, and its bucket.
struct WindowMoment {
  uint64_t time = 0;
  uint64_t bucket = 0;
};

class WindowClock {
 public:
  // At time 0. Updates see no moment whose bucket is more than `most_kept` after first_kept.
  WindowClock(const TimeBuckets& times, uint64_t most_kept) : times_(times), most_kept_(most_kept) {
    StartAt(0);
  }

  const TimeBuckets& times() const { return times_; }
  // The first bucket that is live when `current` is the current one.
  uint64_t FirstLive(uint64_t current) const {
    return current > times_.num_buckets ? current - times_.num_buckets : 0;
  }

  // --- Queries.
  uint64_t first_live() const { return first_live_.load(std::memory_order_acquire); }

  // --- Updates. While one holds an inside, no bucket that is live at its moment is overwritten.
  class Inside {
   public:
    const WindowMoment& moment() const { return moment_; }
    uint64_t first_kept() const { return first_kept_; }

   private:
    friend class WindowClock;
    Inside(GracePeriods::Reader reader, const WindowMoment& moment, uint64_t first_kept)
        : reader_(std::move(reader)), moment_(moment), first_kept_(first_kept) {}

    GracePeriods::Reader reader_;
    WindowMoment moment_;
    uint64_t first_kept_;
  };
  // Waits, after a leap of many buckets, for the updates that began before it.
  Inside Enter() {
    while (true) {
      if (std::optional<Inside> inside = TryEnter()) return *std::move(inside);
      std::this_thread::yield();
    }
  }

  uint64_t now() {
    const GracePeriods::Reader reader = grace_periods_.Enter();
    return Look().time;
  }

  // --- The clock. Not from inside.

  // Returns false, and does nothing, if `now` lies before now(). Calls forget(begin, end) for the
  // buckets that have expired, once no update uses them, unless there are none.
  template <class Forget>
  bool Advance(uint64_t now, const Forget& forget) {
    const std::lock_guard lock(mutex_);
    if (now < now_.load(std::memory_order_relaxed)) return false;
    const Since& old = *since_.load(std::memory_order_relaxed);
    const uint64_t bucket = times_.BucketOf(now);
    if (bucket == old.bucket) {
      now_.store(now, std::memory_order_release);
      return true;
    }
    const uint64_t old_bucket = old.bucket;
    // No thread is inside that saw this one: it was replaced before the last Synchronize.
    Since& next = sinces_[&old == sinces_.data() ? 1 : 0];
    next = {.bucket = bucket, .time = now};
    since_.store(&next, std::memory_order_seq_cst);
    first_live_.store(FirstLive(bucket), std::memory_order_release);
    // After the bucket: a thread that sees the time sees its bucket.
    now_.store(now, std::memory_order_release);
    grace_periods_.Synchronize();
    const uint64_t first_kept = first_kept_.load(std::memory_order_relaxed);
    if (FirstLive(bucket) > first_kept) {
      forget(first_kept, std::min(FirstLive(bucket), old_bucket + 1));
      first_kept_.store(FirstLive(bucket), std::memory_order_release);
    }
    return true;
  }
  // Thread safety: inside.
  uint64_t latest_bucket() const { return since_.load(std::memory_order_seq_cst)->bucket; }
  // Keeps the time as it is while it is held.
  std::unique_lock<std::mutex> Stop() { return std::unique_lock(mutex_); }

  // --- Exclusive.
  void StartAt(uint64_t now) {
    const uint64_t bucket = times_.BucketOf(now);
    sinces_[0] = {.bucket = bucket, .time = now};
    since_.store(sinces_.data(), std::memory_order_seq_cst);
    first_live_.store(FirstLive(bucket), std::memory_order_release);
    first_kept_.store(FirstLive(bucket), std::memory_order_release);
    now_.store(now, std::memory_order_release);
  }

 private:
  // The current bucket, and the time that the Advance into it gave.
  struct Since {
    uint64_t bucket = 0;
    uint64_t time = 0;
  };

  // From inside.
  WindowMoment Look() const {
    const uint64_t now =
        now_.load(std::memory_order_acquire);  // before the bucket: never beyond it
    const Since& since = *since_.load(std::memory_order_seq_cst);
    return {std::max(now, since.time), since.bucket};
  }
  std::optional<Inside> TryEnter() {
    GracePeriods::Reader reader = grace_periods_.Enter();
    const uint64_t first_kept = first_kept_.load(std::memory_order_acquire);
    const WindowMoment moment = Look();
    if (moment.bucket - first_kept > most_kept_) return std::nullopt;
    return Inside(std::move(reader), moment, first_kept);
  }

  GracePeriods grace_periods_;
  const TimeBuckets times_;
  const uint64_t most_kept_;
  std::array<Since, 2> sinces_;
  std::atomic<const Since*> since_{nullptr};
  std::atomic<uint64_t> first_live_{0};
  std::atomic<uint64_t> first_kept_{0};
  std::atomic<uint64_t> now_{0};
  std::mutex mutex_;  // of the clock
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_WINDOW_CLOCK_H_
