// What a trial's rounds are made of: work that is timed, and answers that must be right.
#ifndef TROMMEL_BENCH_TRIAL_STEPS_H_
#define TROMMEL_BENCH_TRIAL_STEPS_H_

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "bench/cpu_clock.h"

namespace trommel::bench {

// ns a key of this thread's CPU: for work of one thread.
template <class Work>
double CpuNsAKey(size_t num_keys, const Work& work) {
  const double start = CpuSeconds();
  work();
  return (CpuSeconds() - start) * 1e9 / static_cast<double>(num_keys);
}

// ns a key of the wall's clock: for work of several threads.
template <class Work>
double WallNsAKey(size_t num_keys, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(num_keys);
}

// Ends the program if something measured is wrong: its time means nothing.
inline void Demand(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIAL_STEPS_H_
