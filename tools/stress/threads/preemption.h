// Preemption: takes the processor from threads by signals, at any instruction: between the two
// stores of a version, too, where the scheduler alone stops a thread too rarely to be waited for.
#ifndef TROMMEL_TOOLS_STRESS_THREADS_PREEMPTION_H_
#define TROMMEL_TOOLS_STRESS_THREADS_PREEMPTION_H_

#include <signal.h>

#include <cstddef>
#include <span>
#include <thread>

namespace trommel::stress {

// Only one at a time in a process: it takes SIGUSR1 for its lifetime.
class Preemption {
 public:
  // Requires that the threads are not joined before its end. Some may have returned.
  explicit Preemption(std::span<std::thread> threads);
  ~Preemption();
  Preemption(const Preemption&) = delete;
  Preemption& operator=(const Preemption&) = delete;

  // One thread after the other: it sleeps for the shortest time there is, or one time of eight it
  // yields, which on a busy machine takes many times as long.
  void InterruptOne();

 private:
  const std::span<std::thread> threads_;
  size_t next_ = 0;
  struct sigaction before_ = {};
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_THREADS_PREEMPTION_H_
