// Gate: many pass at the same time, or one holds it shut and is alone.
//
// A lock for readers and writers, made for readers that come a million times a second and writers
// that come a few times in a filter's life: a reader adds to a counter on a cache line that few
// threads share; the one who shuts the gate looks at all of them. Who finds it shut sleeps until it
// opens, so that those who pass cannot keep it open for ever.
//
// Either a passer's addition comes before the shutting in the one order of these operations, and is
// then waited for; or its look at `is_shut_` comes after it, and it turns back.
#ifndef TROMMEL_ENGINE_SRC_SYNC_GATE_H_
#define TROMMEL_ENGINE_SRC_SYNC_GATE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include "engine/src/sync/stripe.h"

namespace trommel {

class Gate {
 public:
  // Inside as long as it lives. Who passes may not shut, nor pass a second time.
  class Passage {
   public:
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;
    ~Passage() { count_.fetch_sub(1, std::memory_order_release); }

   private:
    friend class Gate;
    explicit Passage(std::atomic<uint64_t>& count) : count_(count) {}
    std::atomic<uint64_t>& count_;
  };

  Passage Pass() {
    std::atomic<uint64_t>& count = inside_[StripeOfThread()].count;
    for (;;) {
      count.fetch_add(1, std::memory_order_seq_cst);
      if (!is_shut_.load(std::memory_order_seq_cst)) return Passage(count);
      count.fetch_sub(1, std::memory_order_release);
      const std::lock_guard<std::mutex> until_open(shutting_);
    }
  }

  // Alone as long as it lives.
  class Shut {
   public:
    explicit Shut(Gate& gate) : gate_(gate), lock_(gate.shutting_) {
      gate_.is_shut_.store(true, std::memory_order_seq_cst);
      for (Stripe& stripe : gate_.inside_) {
        while (stripe.count.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
      }
    }
    Shut(const Shut&) = delete;
    Shut& operator=(const Shut&) = delete;
    ~Shut() { gate_.is_shut_.store(false, std::memory_order_release); }

   private:
    Gate& gate_;
    std::lock_guard<std::mutex> lock_;
  };

 private:
  struct alignas(64) Stripe {
    std::atomic<uint64_t> count{0};
  };

  std::array<Stripe, kNumStripes> inside_;
  std::mutex shutting_;
  std::atomic<bool> is_shut_{false};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_GATE_H_
