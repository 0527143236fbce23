// StripedSharedMutex: shared locks that cost one atomic addition.
#ifndef TROMMEL_ENGINE_SRC_SYNC_STRIPED_SHARED_MUTEX_H_
#define TROMMEL_ENGINE_SRC_SYNC_STRIPED_SHARED_MUTEX_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include "trommel/sync/grace_periods.h"

namespace trommel {

// A shared mutex that readers lock a million times per second and writers a few times in a
// filter's lifetime.
//
// A shared lock is an atomic addition to a counter on a cache line that few threads use. The
// exclusive lock raises a flag and then waits until every counter is zero. Shared lockers that see
// the flag undo their addition and sleep on a mutex until the exclusive lock is released, so that
// a stream of them cannot starve the writer.
//
// All of these operations are sequentially consistent. So either a shared locker's addition
// precedes the writer's flag in their one order, and the writer waits for it; or the locker's load
// of the flag comes after, and the locker undoes its addition.
class StripedSharedMutex {
 public:
  // Holds the lock for its lifetime. Requires that its thread takes no other lock of this mutex.
  class SharedLock {
   public:
    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;
    ~SharedLock() { count_.fetch_sub(1, std::memory_order_release); }

   private:
    friend class StripedSharedMutex;
    explicit SharedLock(std::atomic<uint64_t>& count) : count_(count) {}
    std::atomic<uint64_t>& count_;
  };

  // Returns a shared lock when no other holds or waits for the exclusive one.
  SharedLock LockShared() {
    std::atomic<uint64_t>& count = shared_[GracePeriods::StripeOfThread()].count;
    for (;;) {
      count.fetch_add(1, std::memory_order_seq_cst);
      if (!is_exclusive_.load(std::memory_order_seq_cst)) return SharedLock(count);
      count.fetch_sub(1, std::memory_order_release);
      const std::lock_guard<std::mutex> until_released(exclusive_);
    }
  }

  // Holds the lock for its lifetime, and excludes all others.
  class ExclusiveLock {
   public:
    // Waits for all shared locks to end.
    explicit ExclusiveLock(StripedSharedMutex& mutex) : mutex_(mutex), lock_(mutex.exclusive_) {
      mutex_.is_exclusive_.store(true, std::memory_order_seq_cst);
      for (Stripe& stripe : mutex_.shared_) {
        while (stripe.count.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
      }
    }
    ExclusiveLock(const ExclusiveLock&) = delete;
    ExclusiveLock& operator=(const ExclusiveLock&) = delete;
    ~ExclusiveLock() { mutex_.is_exclusive_.store(false, std::memory_order_release); }

   private:
    StripedSharedMutex& mutex_;
    std::lock_guard<std::mutex> lock_;
  };

 private:
  struct alignas(64) Stripe {
    std::atomic<uint64_t> count{0};
  };

  std::array<Stripe, GracePeriods::kNumStripes> shared_;
  std::mutex exclusive_;
  std::atomic<bool> is_exclusive_{false};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_STRIPED_SHARED_MUTEX_H_
