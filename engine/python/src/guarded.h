// Guarded: a filter that Python threads may use in any way at any time.
//
// Batches run without the GIL, so Python no longer orders calls. A lock per filter does: calls that
// the type allows beside each other share it, all others have it alone.
//
// No thread waits for the lock while it holds the GIL, nor for the GIL while it holds the lock. So
// the two cannot deadlock.
//
// *Fork.* A child process has one thread, that which forked. What another thread was inside of then
// stays locked for ever, half changed perhaps. The GIL tells which filters these are: fork is
// called with it, and calls are counted under it. They fail in the child, by name, and are never
// freed.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_GUARDED_H_
#define TROMMEL_ENGINE_PYTHON_SRC_GUARDED_H_

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include "engine/python/src/errors.h"
#include "engine/python/src/fork_count.h"
#include "engine/python/src/without_gil.h"
#include "trommel/attribute_filter.h"
#include "trommel/column_map.h"
#include "trommel/concurrent_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

#ifdef Py_GIL_DISABLED
#error "Guarded counts calls under the GIL: without one it would need atomic counts"
#endif

namespace trommel::python {

// FairSharedMutex: a std::shared_mutex that callers who want it alone also get.
//
// glibc's lets new sharers in while one waits to be alone: with a few threads that query all the
// time, close() or clear() would never end. Here a thread that waits to be alone holds a gate, at
// which new sharers wait.

// Has what std::unique_lock and std::shared_lock need.
class FairSharedMutex {
 public:
  void lock() {
    num_waiting_.fetch_add(1, std::memory_order_relaxed);
    {
      const std::lock_guard gate(gate_);
      mutex_.lock();
    }
    num_waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

  void lock_shared() {
    if (try_lock_shared()) return;
    const std::lock_guard gate(gate_);
    mutex_.lock_shared();
  }
  bool try_lock_shared() {
    return num_waiting_.load(std::memory_order_relaxed) == 0 && mutex_.try_lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::atomic<int> num_waiting_ = 0;  // to be alone; a hint: the gate is what makes others wait
  std::mutex gate_;
  std::shared_mutex mutex_;
};

// Whether any thread may update a T while others use it, as the type's header says.
template <class T>
inline constexpr bool kUpdatesAreShared = false;
template <>
inline constexpr bool kUpdatesAreShared<ConcurrentFilter> = true;
template <>
inline constexpr bool kUpdatesAreShared<ScalableFilter> = true;
template <>
inline constexpr bool kUpdatesAreShared<WindowFilter> = true;
template <>
inline constexpr bool kUpdatesAreShared<ColumnMap> = true;
template <>
inline constexpr bool kUpdatesAreShared<AttributeFilter> = true;

// What a Python object of a filter's class holds. All members are called with the GIL.
template <class T>
class Guarded {
 public:
  explicit Guarded(T&& filter) : filter_(std::move(filter)) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() {
    if (!IsLeftBehind()) filter_.~optional();
  }

  // Each returns what `work` returns, which must not be a Python object: `work` runs without the
  // GIL. Throws ClosedError if there is no filter any more, and what `work` throws.
  template <class Work>
  auto Query(Work&& work) const {
    return Run<std::shared_lock<FairSharedMutex>>(std::as_const(filter_), work);
  }
  template <class Work>
  auto Update(Work&& work) {
    if constexpr (kUpdatesAreShared<T>) {
      return Run<std::shared_lock<FairSharedMutex>>(filter_, work);
    } else {
      return Exclusively(work);
    }
  }
  template <class Work>
  auto Exclusively(Work&& work) {
    return Run<std::unique_lock<FairSharedMutex>>(filter_, work);
  }

  // The same for work of less than a microsecond: unless a call without the GIL forbids it, the GIL
  // is kept, because giving it up and taking it again costs more than the work.
  template <class Work>
  auto QueryOne(Work&& work) const {
    CheckUsable();
    if (num_exclusive_ == 0) return work(Open(std::as_const(filter_)));
    return Query(work);
  }
  template <class Work>
  auto UpdateOne(Work&& work) {
    CheckUsable();
    if (num_exclusive_ == 0 && (kUpdatesAreShared<T> || num_shared_ == 0)) {
      return work(Open(filter_));
    }
    return Update(work);
  }

  // As Update, but calls work(filter, pause): pause(call) returns call(), called with the GIL and
  // without the lock, so that it may call Python, and Python the filter. Meanwhile the filter is
  // not closed, nor given away.
  template <class Work>
  auto UpdatePausing(Work&& work) {
    using Lock = std::conditional_t<kUpdatesAreShared<T>, std::shared_lock<FairSharedMutex>,
                                    std::unique_lock<FairSharedMutex>>;
    CheckUsable();
    const Counted counted(kUpdatesAreShared<T> ? num_shared_ : num_exclusive_);
    WithoutGil without_gil;
    Lock lock(mutex_);
    const auto pause = [&](const auto& call) {
      const Paused<Lock> paused(lock, num_paused_);
      return without_gil.Interrupted(call);
    };
    return work(Open(filter_), pause);
  }

  // Calls work(filter, other) with `filter` exclusive and `other`, another object, shared.
  template <class U, class Work>
  auto With(const Guarded<U>& other, Work&& work) {
    CheckUsable();
    other.CheckUsable();
    const Counted mine_counts(num_exclusive_);
    const Counted theirs_count(other.num_shared_);
    const WithoutGil without_gil;
    std::unique_lock mine(mutex_, std::defer_lock);
    std::shared_lock theirs(other.mutex_, std::defer_lock);
    std::lock(mine, theirs);  // in an order that cannot deadlock with a call the other way round
    return work(Open(filter_), Open(other.filter_));
  }

  // Returns work(filter, other), both shared; `other` may be this object.
  template <class Work>
  auto QueryWith(const Guarded& other, Work&& work) const {
    if (this == &other) return Query([&](const T& filter) { return work(filter, filter); });
    CheckUsable();
    other.CheckUsable();
    const Counted mine_count(num_shared_);
    const Counted theirs_count(other.num_shared_);
    const WithoutGil without_gil;
    std::shared_lock mine(mutex_, std::defer_lock);
    std::shared_lock theirs(other.mutex_, std::defer_lock);
    std::lock(mine, theirs);  // as in With
    return work(Open(filter_), Open(other.filter_));
  }

  // Returns work(filter), exclusively, and frees the filter unless `work` throws.
  template <class Work>
  auto Consume(Work&& work) {
    return Exclusively([&](T& filter) {
      CheckNotPaused();
      auto result = work(filter);
      filter_.reset();
      return result;
    });
  }

  // Frees the filter. Later calls throw ClosedError.
  void Close() {
    CheckUsable();
    const Counted counted(num_exclusive_);
    const WithoutGil without_gil;
    const std::unique_lock lock(mutex_);
    CheckNotPaused();
    filter_.reset();
  }
  bool is_open() const {
    CheckUsable();
    const Counted counted(num_shared_);
    const WithoutGil without_gil;
    const std::shared_lock lock(mutex_);
    return filter_.has_value();
  }

 private:
  template <class U>
  friend class Guarded;

  template <class Filter>
  static auto& Open(Filter& filter) {
    if (!filter.has_value()) {
      throw Failure(FailureKind::kClosed, "the filter is closed: it was closed or given away");
    }
    return *filter;
  }

  // While this lives, the lock is not held.
  template <class Lock>
  class Paused {
   public:
    // Counts under the lock, where CheckNotPaused reads.
    Paused(Lock& lock, std::atomic<int>& count) : lock_(lock), count_(count) {
      count_.fetch_add(1, std::memory_order_relaxed);
      lock_.unlock();
    }
    Paused(const Paused&) = delete;
    Paused& operator=(const Paused&) = delete;
    ~Paused() {
      lock_.lock();
      count_.fetch_sub(1, std::memory_order_relaxed);
    }

   private:
    Lock& lock_;
    std::atomic<int>& count_;
  };
  // Requires the lock.
  void CheckNotPaused() const {
    if (num_paused_.load(std::memory_order_relaxed) == 0) return;
    throw Failure(Error{ErrorCode::kBusy,
                        "the filter cannot be closed or given away while its upsert calls exist"});
  }

  // Whether a thread was inside a call when a process was forked that became this one. With the
  // GIL.
  bool IsLeftBehind() const {
    const uint32_t forks = fork_count.load(std::memory_order_relaxed);
    if (num_forks_ != forks) [[unlikely]] {
      num_forks_ = forks;
      is_left_behind_ = is_left_behind_ || num_shared_ != 0 || num_exclusive_ != 0;
    }
    return is_left_behind_;
  }
  void CheckUsable() const {
    if (!IsLeftBehind()) [[likely]]
      return;
    throw Failure(Error{
        ErrorCode::kBusy,
        "a thread was inside a call of this filter when this process was forked, and what it "
        "locked stays locked: fork while no thread uses the filter, load it again here, or use "
        "multiprocessing's \"spawn\""});
  }

  // Counts a call that runs without the GIL. Made and destroyed with the GIL.
  class Counted {
   public:
    explicit Counted(int& count) : count_(count) { ++count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --count_; }

   private:
    int& count_;
  };

  template <class Lock, class Filter, class Work>
  auto Run(Filter& filter, Work&& work) const {
    CheckUsable();
    constexpr bool kIsShared = std::is_same_v<Lock, std::shared_lock<FairSharedMutex>>;
    const Counted counted(kIsShared ? num_shared_ : num_exclusive_);
    const WithoutGil without_gil;
    const Lock lock(mutex_);
    return work(Open(filter));
  }

  // Calls without the GIL that hold the lock or wait for it.
  mutable int num_shared_ = 0;
  mutable int num_exclusive_ = 0;
  mutable uint32_t num_forks_ = fork_count.load(std::memory_order_relaxed);
  mutable bool is_left_behind_ = false;
  std::atomic<int> num_paused_ = 0;
  mutable FairSharedMutex mutex_;
  union {  // so that the destructor may leave it
    std::optional<T> filter_;
  };
};

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_GUARDED_H_
