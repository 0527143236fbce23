// GracePeriods: when may memory be freed that lock-free readers may still be reading?
//
// A reader enters, loads the current list of stores, queries them, and leaves. A writer that has
// published a new list waits for all readers that may have loaded the old one (a grace period);
// then no reader holds it any more:
//
//   reader   Enter -- load list ---- query stores ---- leave
//   writer                 store new list -- Synchronize ........ free what only the old list had
//
// Readers never wait: to enter and to leave is one atomic addition each, to a counter on a cache
// line that few threads use. There are two sets of counters, and readers enter the one that `phase`
// names. Synchronize flips the phase and waits until the other set has drained, twice. New readers
// enter the current set, so they cannot delay it; and the second flip waits for a reader that
// loaded the phase just before the first flip and then entered the wrong set.
//
// Why that is enough. All of the operations named here are sequentially consistent, so they have
// one order. A reader's addition precedes its load of the list. If that load saw the old list, it
// precedes the store of the new one, which precedes Synchronize. So the addition precedes every
// load that Synchronize makes of the reader's counter, and the load that finds zero comes after the
// reader left. The reader's last accesses happened before its leaving (release), and what follows
// Synchronize happens after (acquire). It is the two-phase scheme of sleepable read-copy-update
// (McKenney, "Sleepable RCU", 2006).
#ifndef TROMMEL_ENGINE_SRC_SYNC_GRACE_PERIODS_H_
#define TROMMEL_ENGINE_SRC_SYNC_GRACE_PERIODS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include "engine/src/sync/stripe.h"

namespace trommel {

class GracePeriods {
 public:
  // The reader is inside for the lifetime of this object.
  class Reader {
   public:
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { count_.fetch_sub(1, std::memory_order_seq_cst); }

   private:
    friend class GracePeriods;
    explicit Reader(std::atomic<uint64_t>& count) : count_(count) {
      count_.fetch_add(1, std::memory_order_seq_cst);
    }
    std::atomic<uint64_t>& count_;
  };

  Reader Enter() {
    const size_t phase = phase_.load(std::memory_order_seq_cst);
    return Reader(counters_[StripeOfThread()].of_phase[phase]);
  }

  // Returns when all readers that were inside have left. Thread safety: any thread but a reader's.
  void Synchronize() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int flip = 0; flip < 2; ++flip) {
      const size_t old_phase = phase_.load(std::memory_order_relaxed);  // only changed here
      phase_.store(1 - old_phase, std::memory_order_seq_cst);
      for (Stripe& stripe : counters_) {
        while (stripe.of_phase[old_phase].load(std::memory_order_seq_cst) != 0) {
          std::this_thread::yield();
        }
      }
    }
  }

 private:
  struct alignas(64) Stripe {
    std::array<std::atomic<uint64_t>, 2> of_phase{};
  };

  std::array<Stripe, kNumStripes> counters_;
  std::mutex mutex_;
  std::atomic<size_t> phase_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_GRACE_PERIODS_H_
