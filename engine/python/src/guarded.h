// Guarded: a filter that Python threads may use in any way at any time.
//
// Batches run without the GIL, so Python no longer orders calls. A lock per filter does: calls that
// the type allows beside each other share it, all others have it alone.
//
// No thread waits for the lock while it holds the GIL, nor for the GIL while it holds the lock. So
// the two cannot deadlock.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_GUARDED_H_
#define TROMMEL_ENGINE_PYTHON_SRC_GUARDED_H_

#include <nanobind/nanobind.h>

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include "engine/python/src/errors.h"
#include "engine/python/src/fair_shared_mutex.h"
#include "trommel/attribute_filter.h"
#include "trommel/concurrent_filter.h"
#include "trommel/filter_columns.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

#ifdef Py_GIL_DISABLED
#error "Guarded counts calls under the GIL: without one it would need atomic counts"
#endif

namespace trommel::python {

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
inline constexpr bool kUpdatesAreShared<FilterColumns> = true;
template <>
inline constexpr bool kUpdatesAreShared<AttributeFilter> = true;

// What a Python object of a filter's class holds. All members are called with the GIL.
template <class T>
class Guarded {
 public:
  explicit Guarded(T&& filter) : filter_(std::move(filter)) {}

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
    if (num_exclusive_ == 0) return work(Open(std::as_const(filter_)));
    return Query(work);
  }
  template <class Work>
  auto UpdateOne(Work&& work) {
    if (num_exclusive_ == 0 && (kUpdatesAreShared<T> || num_shared_ == 0)) {
      return work(Open(filter_));
    }
    return Update(work);
  }

  // Calls work(filter, other) with `filter` exclusive and `other`, another object, shared.
  template <class U, class Work>
  auto With(const Guarded<U>& other, Work&& work) {
    const Counted mine_counts(num_exclusive_);
    const Counted theirs_count(other.num_shared_);
    const nanobind::gil_scoped_release release;
    std::unique_lock mine(mutex_, std::defer_lock);
    std::shared_lock theirs(other.mutex_, std::defer_lock);
    std::lock(mine, theirs);  // in an order that cannot deadlock with a call the other way round
    return work(Open(filter_), Open(other.filter_));
  }

  // Returns work(filter, other), both shared; `other` may be this object.
  template <class Work>
  auto QueryWith(const Guarded& other, Work&& work) const {
    if (this == &other) return Query([&](const T& filter) { return work(filter, filter); });
    const Counted mine_count(num_shared_);
    const Counted theirs_count(other.num_shared_);
    const nanobind::gil_scoped_release release;
    std::shared_lock mine(mutex_, std::defer_lock);
    std::shared_lock theirs(other.mutex_, std::defer_lock);
    std::lock(mine, theirs);  // as in With
    return work(Open(filter_), Open(other.filter_));
  }

  // Returns work(filter), exclusively, and frees the filter unless `work` throws.
  template <class Work>
  auto Consume(Work&& work) {
    return Exclusively([&](T& filter) {
      auto result = work(filter);
      filter_.reset();
      return result;
    });
  }

  // Frees the filter. Later calls throw ClosedError.
  void Close() {
    const Counted counted(num_exclusive_);
    const nanobind::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    filter_.reset();
  }
  bool is_open() const {
    const Counted counted(num_shared_);
    const nanobind::gil_scoped_release release;
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
    constexpr bool kIsShared = std::is_same_v<Lock, std::shared_lock<FairSharedMutex>>;
    const Counted counted(kIsShared ? num_shared_ : num_exclusive_);
    const nanobind::gil_scoped_release release;
    const Lock lock(mutex_);
    return work(Open(filter));
  }

  // Calls without the GIL that hold the lock or wait for it.
  mutable int num_shared_ = 0;
  mutable int num_exclusive_ = 0;
  mutable FairSharedMutex mutex_;
  std::optional<T> filter_;
};

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_GUARDED_H_
