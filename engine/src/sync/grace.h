// Grace: when may memory go that readers without a lock may still be looking at?
//
// A reader enters, reads the current list of stores, asks them, and leaves. Who has published a new
// list waits for all readers that may have seen the old one; then nobody sees it any more:
//
//   reader   Enter -- load list ---- ask stores ---- leave
//   writer                 store new list -- Wait ........ free what only the old list had
//
// Readers never wait: to enter and to leave is an atomic addition each, to a counter on a cache
// line that few threads share. There are two sets of counters, and newcomers enter the one that
// `phase` names. Waiting turns the phase and waits until the set that was current has drained,
// twice; so newcomers cannot keep it waiting, and one who read the phase just before it turned, and
// entered the wrong set, is waited for by the other turn.
//
// Why that is enough. All of the operations named here are sequentially consistent, so they have
// one order. A reader's addition precedes its load of the list. If that load saw the old list, it
// precedes the store of the new one, which precedes Wait. So the addition precedes every look that
// Wait takes at the reader's counter, and the look that finds zero comes after the reader left. The
// reader's last accesses happened before its leaving (release), and what follows Wait happens after
// (acquire). It is the two-phase scheme of sleepable read-copy-update (McKenney, "Sleepable RCU",
// 2006).
#ifndef TROMMEL_ENGINE_SRC_SYNC_GRACE_H_
#define TROMMEL_ENGINE_SRC_SYNC_GRACE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include "engine/src/sync/stripe.h"

namespace trommel {

class Grace {
 public:
  // A reader is inside as long as it lives.
  class Reading {
   public:
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() { count_.fetch_sub(1, std::memory_order_seq_cst); }

   private:
    friend class Grace;
    explicit Reading(std::atomic<uint64_t>& count) : count_(count) {
      count_.fetch_add(1, std::memory_order_seq_cst);
    }
    std::atomic<uint64_t>& count_;
  };

  Reading Enter() {
    const size_t phase = phase_.load(std::memory_order_seq_cst);
    return Reading(counters_[StripeOfThread()].of_phase[phase]);
  }

  // Returns when all readers that were inside have left. Any thread, but not a reader.
  void Wait() {
    const std::lock_guard<std::mutex> lock(waiting_);
    for (int turn = 0; turn < 2; ++turn) {
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
  std::mutex waiting_;
  std::atomic<size_t> phase_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_GRACE_H_
