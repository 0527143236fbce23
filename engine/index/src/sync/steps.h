// Steps: the points between which other threads can act, made visible to tests.
//
// A test of interleavings runs real threads of which only one runs at a time, and chooses the next
// one at every Step. For that, nothing may block: whatever waits for another thread does so through
// the functions here, which, under a test's scheduler, try and pause instead. Without a scheduler,
// each costs the load of a thread-local pointer and a branch.
#ifndef TROMMEL_ENGINE_INDEX_SRC_SYNC_STEPS_H_
#define TROMMEL_ENGINE_INDEX_SRC_SYNC_STEPS_H_

#include <chrono>
#include <mutex>
#include <thread>

namespace trommel::index {

// Lets one thread run at a time. Names are string literals, for traces.
class StepScheduler {
 public:
  // The calling thread is about to act in a way that other threads can see.
  virtual void Step(const char* name) = 0;
  // The calling thread cannot go on before another thread has acted.
  virtual void Pause(const char* name) = 0;

 protected:
  ~StepScheduler() = default;
};

// The calling thread's scheduler; null but in tests.
inline constinit thread_local StepScheduler* step_scheduler = nullptr;

inline void Step(const char* name) {
  if (step_scheduler != nullptr) [[unlikely]]
    step_scheduler->Step(name);
}

// Waits until is_over() returns true: by block(), which returns then.
template <class IsOver, class Block>
void WaitThroughSteps(const char* name, const IsOver& is_over, const Block& block) {
  if (step_scheduler == nullptr) [[likely]] {
    block();
    return;
  }
  step_scheduler->Step(name);
  while (!is_over()) step_scheduler->Pause(name);
}

// Waits a little, in a loop of the calling thread's, for other threads. They may take seconds, as
// queries do, so the thread sleeps.
inline void WaitALittle(const char* name) {
  if (step_scheduler != nullptr) [[unlikely]] {
    step_scheduler->Pause(name);
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// Locks the mutex for the lifetime of what it returns.
inline std::unique_lock<std::mutex> LockThroughSteps(std::mutex& mutex, const char* name) {
  WaitThroughSteps(
      name, [&] { return mutex.try_lock(); }, [&] { mutex.lock(); });
  return {mutex, std::adopt_lock};
}

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_SYNC_STEPS_H_
