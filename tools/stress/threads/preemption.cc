// Signals that take the processor from a thread.
#include "tools/stress/threads/preemption.h"

#include <sched.h>
#include <sys/select.h>

#include <atomic>
#include <cerrno>

namespace trommel::stress {
namespace {

constexpr uint32_t kYieldOneIn = 8;
constexpr long kSleepUs = 1;

std::atomic<uint32_t> num_interrupts = 0;
static_assert(std::atomic<uint32_t>::is_always_lock_free);  // or a handler must not use it

// System calls only: select is safe in handlers (POSIX), and sched_yield keeps nothing in memory.
extern "C" void LoseProcessor(int /*signal*/) {
  const int error_before = errno;
  if (num_interrupts.fetch_add(1, std::memory_order_relaxed) % kYieldOneIn == 0) {
    sched_yield();
  } else {
    timeval sleep = {.tv_sec = 0, .tv_usec = kSleepUs};
    select(0, nullptr, nullptr, nullptr, &sleep);
  }
  errno = error_before;
}

}  // namespace

Preemption::Preemption(std::span<std::thread> threads) : threads_(threads) {
  struct sigaction action = {};
  action.sa_handler = LoseProcessor;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, &before_);
}

Preemption::~Preemption() { sigaction(SIGUSR1, &before_, nullptr); }

void Preemption::InterruptOne() {
  pthread_kill(threads_[next_].native_handle(), SIGUSR1);
  next_ = (next_ + 1) % threads_.size();
}

}  // namespace trommel::stress
