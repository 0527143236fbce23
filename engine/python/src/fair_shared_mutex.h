// FairSharedMutex: a std::shared_mutex that callers who want it alone also get.
//
// glibc's lets new sharers in while one waits to be alone: with a few threads that query all the
// time, close() or clear() would never end. Here a thread that waits to be alone holds a gate, at
// which new sharers wait.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_FAIR_SHARED_MUTEX_H_
#define TROMMEL_ENGINE_PYTHON_SRC_FAIR_SHARED_MUTEX_H_

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace trommel::python {

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

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_FAIR_SHARED_MUTEX_H_
