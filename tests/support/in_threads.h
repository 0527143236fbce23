// A body in several threads at once.
#ifndef TROMMEL_TESTS_SUPPORT_IN_THREADS_H_
#define TROMMEL_TESTS_SUPPORT_IN_THREADS_H_

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace trommel::tests {

// Calls body(t) for t = 0 .. num_threads - 1, each in a thread of its own, and waits for all.
// Catch2's macros are not thread-safe: bodies count, and the test checks afterwards.
inline void InThreads(uint64_t num_threads, const std::function<void(uint64_t)>& body) {
  std::vector<std::jthread> threads;
  for (uint64_t t = 0; t < num_threads; ++t) threads.emplace_back([&body, t] { body(t); });
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_IN_THREADS_H_
