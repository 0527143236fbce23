// Gate: shared by the operations on a region, exclusive for what switches the region.
//
// It is held over writes, which may wait for a disk. So, unlike a StripedSharedMutex, it spins
// nowhere; and as there is one per region, it has few counters.
//
//   shared     add 1 to the thread's counter; if the flag is up, take it back and wait for the flag
//   exclusive  raise the flag, wait until all counters are 0 -- switch the region -- lower the flag
//
// The additions, the flag and the loads that follow them are sequentially consistent. So either an
// addition precedes the flag in their one order, and the exclusive holder waits for it; or the
// shared holder sees the flag and takes the addition back. A flag that is up stops new shared
// holders: a region that always has some cannot keep out an exclusive one. Hence no operation may
// enter a gate twice.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_GATE_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_GATE_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "engine/index/src/sync/steps.h"
#include "trommel/sync/grace_periods.h"

namespace trommel::index {

// How often and how long threads waited at gates. Thread safety: any thread.
struct GateTimes {
  struct Times {
    std::atomic<uint64_t> num{0};
    std::atomic<uint64_t> nanoseconds{0};
    std::atomic<uint64_t> longest{0};  // nanoseconds

    void Add(std::chrono::steady_clock::time_point since) {
      const auto passed = std::chrono::steady_clock::now() - since;
      const auto time = static_cast<uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
      num.fetch_add(1, std::memory_order_relaxed);
      nanoseconds.fetch_add(time, std::memory_order_relaxed);
      uint64_t most = longest.load(std::memory_order_relaxed);
      while (most < time && !longest.compare_exchange_weak(most, time, std::memory_order_relaxed)) {
      }
    }
  };
  Times shared;     // of those that found the flag up
  Times exclusive;  // from the wish to be alone to the end of it: the longest that others may wait
};

// Thread safety: any thread. The gate must outlive all calls, also those that leave it; and the
// times, if there are any, the gate.
class Gate {
 public:
  explicit Gate(GateTimes* times = nullptr) : times_(times) {}

  // Is inside the gate for its lifetime, beside others.
  class Shared {
   public:
    explicit Shared(Gate& gate)
        : gate_(gate), count_(gate.stripes_[GracePeriods::StripeOfThread() % kStripes].count) {
      WaitThroughSteps(
          "enter gate", [this] { return TryEnter(); },
          [this] {
            if (TryEnter()) return;
            const auto since = std::chrono::steady_clock::now();
            do {
              gate_.is_exclusive_.wait(1, std::memory_order_acquire);
            } while (!TryEnter());
            if (gate_.times_ != nullptr) gate_.times_->shared.Add(since);
          });
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    ~Shared() { Leave(); }

   private:
    bool TryEnter() {
      count_.fetch_add(1, std::memory_order_seq_cst);
      if (gate_.is_exclusive_.load(std::memory_order_seq_cst) == 0) return true;
      Leave();
      return false;
    }
    void Leave() {
      count_.fetch_sub(1, std::memory_order_seq_cst);
      if (gate_.is_exclusive_.load(std::memory_order_seq_cst) != 0) count_.notify_all();
    }

    Gate& gate_;
    std::atomic<uint32_t>& count_;
  };

  // Is inside the gate for its lifetime, alone.
  class Exclusive {
   public:
    explicit Exclusive(Gate& gate)
        : gate_(gate), lock_(LockThroughSteps(gate.exclusive_, "take gate alone")) {
      since_ = std::chrono::steady_clock::now();
      gate_.is_exclusive_.store(1, std::memory_order_seq_cst);
      for (Stripe& stripe : gate_.stripes_) {
        const auto load = [&] { return stripe.count.load(std::memory_order_seq_cst); };
        if (load() == 0) continue;
        WaitThroughSteps(
            "wait for gate", [&] { return load() == 0; },
            [&] {
              while (const uint32_t count = load()) {
                stripe.count.wait(count, std::memory_order_seq_cst);
              }
            });
      }
    }
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;
    ~Exclusive() {
      gate_.is_exclusive_.store(0, std::memory_order_release);
      gate_.is_exclusive_.notify_all();
      if (gate_.times_ != nullptr) gate_.times_->exclusive.Add(since_);
    }

   private:
    Gate& gate_;
    std::unique_lock<std::mutex> lock_;
    std::chrono::steady_clock::time_point since_;
  };

 private:
  static constexpr size_t kStripes = 8;

  struct alignas(64) Stripe {
    std::atomic<uint32_t> count{0};
  };

  std::array<Stripe, kStripes> stripes_;
  std::atomic<uint32_t> is_exclusive_{0};  // 0 or 1: 4 bytes, which a thread can wait for directly
  std::mutex exclusive_;
  GateTimes* const times_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_GATE_H_
