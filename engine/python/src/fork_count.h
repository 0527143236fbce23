// How many forks lie between the process that loaded the module and this one: what tells an object
// that it is in a child of the process in which it was used before.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_FORK_COUNT_H_
#define TROMMEL_ENGINE_PYTHON_SRC_FORK_COUNT_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace trommel::python {

inline std::atomic<uint32_t> fork_count = 0;

// Begins to count. Called once.
inline void CountForks() {
  pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1, std::memory_order_relaxed); });
}

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_FORK_COUNT_H_
