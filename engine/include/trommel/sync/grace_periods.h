/// @file
/// GracePeriods: when memory may be freed that lock-free readers may still be reading.
#ifndef TROMMEL_SYNC_GRACE_PERIODS_H_
#define TROMMEL_SYNC_GRACE_PERIODS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

#include "trommel/export.h"  // asks for C++20

namespace trommel {

/// Tells a writer when no reader holds anything that was replaced.
///
/// A reader enters, loads the current list of stores, queries them, and leaves. A writer that has
/// published a new list waits for all readers that may have loaded the old one (a grace period);
/// then no reader holds it any more:
///
/// @code{.unparsed}
///   reader   Enter -- load list ---- query stores ---- leave
///   writer                 store new list -- Synchronize ........ free what only the old list had
/// @endcode
///
/// Readers never wait: to enter and to leave is one atomic addition each, to a counter on a cache
/// line that few threads use. There are two sets of counters, and readers enter the one that
/// `phase` names. Synchronize flips the phase and waits until the other set has drained, twice. New
/// readers enter the current set, so they cannot delay it; and the second flip waits for a reader
/// that loaded the phase just before the first flip and then entered the wrong set.
///
/// Why that is enough. All of the operations named here are sequentially consistent, so they have
/// one order. A reader's addition precedes its load of the list. If that load saw the old list, it
/// precedes the store of the new one, which precedes Synchronize. So the addition precedes every
/// load that Synchronize makes of the reader's counter, and the load that finds zero comes after
/// the reader left. The reader's last accesses happened before its leaving (release), and what
/// follows Synchronize happens after (acquire). It is the two-phase scheme of sleepable
/// read-copy-update (McKenney, "Sleepable RCU", 2006).
class GracePeriods {
 public:
  /// Cache lines that a counter which all threads change is spread over; each thread uses one.
  static constexpr size_t kNumStripes = 32;
  /// Returns which of them the calling thread uses, always the same.
  static size_t StripeOfThread() {
    static std::atomic<size_t> next_stripe{0};
    thread_local const size_t stripe =
        next_stripe.fetch_add(1, std::memory_order_relaxed) % kNumStripes;
    return stripe;
  }

  /// A reader is inside from Enter until this object is destroyed, on any thread.
  class Reader {
   public:
    /// Moves the reader: `other` is inside no longer.
    Reader(Reader&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
    Reader& operator=(Reader&&) = delete;
    ~Reader() {
      if (count_ != nullptr) count_->fetch_sub(1, std::memory_order_seq_cst);
    }

   private:
    friend class GracePeriods;
    explicit Reader(std::atomic<uint64_t>& count) noexcept : count_(&count) {
      count_->fetch_add(1, std::memory_order_seq_cst);
    }
    std::atomic<uint64_t>* count_;
  };

  /// Returns a reader that is inside. Thread safety: any thread; never waits.
  Reader Enter() noexcept {
    const size_t phase = phase_.load(std::memory_order_seq_cst);
    return Reader(counters_[StripeOfThread()].of_phase[phase]);
  }

  /// A grace period that is not waited for: which counters have been zero since it began.
  class Period {
    friend class GracePeriods;
    std::array<std::array<bool, 2>, kNumStripes> was_zero_{};
  };

  /// Returns whether the grace period is over: all readers that were inside when `period` was made
  /// have left. Never waits. Calls come again until it is; with readers always inside it ends as
  /// well, because new ones are sent to the other set of counters. (That a counter was zero at any
  /// moment since suffices, by the argument above, whatever flips there were.) Thread safety: any
  /// thread; calls for one period by one thread at a time.
  bool Poll(Period& period) noexcept {
    std::array<bool, 2> has_drained = {true, true};
    for (size_t phase = 0; phase < 2; ++phase) {
      for (size_t s = 0; s < kNumStripes; ++s) {
        bool& was_zero = period.was_zero_[s][phase];
        was_zero |= counters_[s].of_phase[phase].load(std::memory_order_seq_cst) == 0;
        has_drained[phase] &= was_zero;
      }
    }
    if (has_drained[0] && has_drained[1]) return true;
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    const size_t current = phase_.load(std::memory_order_relaxed);
    if (!has_drained[current] && has_drained[1 - current]) {
      phase_.store(1 - current, std::memory_order_seq_cst);
    }
    return false;
  }

  /// Returns when all readers that were inside have left. Thread safety: any thread that has no
  /// reader inside.
  void Synchronize() {
    Synchronize([] { std::this_thread::yield(); });
  }

  /// Returns when all readers that were inside have left; calls wait() repeatedly until then.
  template <class Wait>
  void Synchronize(const Wait& wait) {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    for (; !lock.owns_lock(); lock = std::unique_lock<std::mutex>(mutex_, std::try_to_lock)) wait();
    for (int flip = 0; flip < 2; ++flip) {
      const size_t old_phase = phase_.load(std::memory_order_relaxed);  // only changed here
      phase_.store(1 - old_phase, std::memory_order_seq_cst);
      for (Stripe& stripe : counters_) {
        while (stripe.of_phase[old_phase].load(std::memory_order_seq_cst) != 0) wait();
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

#endif  // TROMMEL_SYNC_GRACE_PERIODS_H_
