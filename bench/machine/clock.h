// Clocks, and how sides are timed beside each other: in rounds.
#ifndef TROMMEL_BENCH_MACHINE_CLOCK_H_
#define TROMMEL_BENCH_MACHINE_CLOCK_H_

#include <time.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/text/figures.h"

namespace trommel::bench {

// This thread's CPU time since some fixed moment: for one thread that never waits it is wall time
// less what the system gave to other programs meanwhile. POSIX.
inline double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// CPU time of work() in this thread, in ns per key.
template <class Work>
double CpuNsPerKey(size_t num_keys, const Work& work) {
  const double start = CpuSeconds();
  work();
  return (CpuSeconds() - start) * 1e9 / static_cast<double>(num_keys);
}

// Wall time of work(), for work of several threads, in ns per key.
template <class Work>
double WallNsPerKey(size_t num_keys, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(num_keys);
}

// Calls measure(side, counts) for every side in each of rounds + 1 rounds. Rounds begin with each
// side in turn; the first round warms up: `counts` is false.
template <class Measure>
void InRounds(size_t num_sides, uint64_t rounds, const Measure& measure) {
  for (uint64_t round = 0; round <= rounds; ++round) {
    for (size_t i = 0; i < num_sides; ++i) measure((i + round) % num_sides, round > 0);
  }
}

// The CPU time of each way to handle num_keys keys, in ns per key: [way][round].
inline std::vector<Figures> TimeInRounds(std::span<const std::function<void()>> ways,
                                         uint64_t num_keys, uint64_t rounds) {
  std::vector<Figures> times(ways.size());
  InRounds(ways.size(), rounds, [&](size_t way, bool counts) {
    const double ns = CpuNsPerKey(num_keys, ways[way]);
    if (counts) times[way].push_back(ns);
  });
  return times;
}

// The median change of time from the first way to the second: 0.5 is half as much again.
inline double TimeChange(uint64_t num_keys, uint64_t rounds, const std::function<void()>& first,
                         const std::function<void()>& second) {
  const std::function<void()> ways[] = {first, second};
  const std::vector<Figures> times = TimeInRounds(ways, num_keys, rounds);
  return PairedRatio(times[1], times[0]).median - 1;
}

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_MACHINE_CLOCK_H_
