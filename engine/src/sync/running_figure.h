// RunningFigure: a figure that one thread at a time sets, under a lock of its own, and that any
// thread reads meanwhile, without one.
#ifndef TROMMEL_ENGINE_SRC_SYNC_RUNNING_FIGURE_H_
#define TROMMEL_ENGINE_SRC_SYNC_RUNNING_FIGURE_H_

#include <atomic>
#include <cstdint>

namespace trommel {

// Copies take the figure. A reader sees some value that was set; figures are in no order with what
// they count or with each other, but once a thread has joined, its last ones are seen.
class RunningFigure {
 public:
  RunningFigure() = default;
  RunningFigure(const RunningFigure& other) : value_(other.Get()) {}
  RunningFigure& operator=(const RunningFigure& other) {
    Set(other.Get());
    return *this;
  }
  ~RunningFigure() = default;

  uint64_t Get() const { return value_.load(std::memory_order_relaxed); }
  void Set(uint64_t value) { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_RUNNING_FIGURE_H_
