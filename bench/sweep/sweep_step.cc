#include "bench/sweep/sweep_step.h"

#include <time.h>

#include <algorithm>
#include <limits>

#include "bench/machine/clock.h"

namespace trommel::bench {
namespace {

constexpr double kLeastSeconds = 1e-9;

double Seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The time between two consecutive readings.
double Overhead() {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 1000; ++i) {
    const double start = CpuSeconds();
    least = std::min(least, CpuSeconds() - start);
  }
  return least;
}

}  // namespace

StepClock::StepClock(uint32_t num_threads) : num_threads_(num_threads) {
  if (num_threads_ == 1) {
    cpu_ = CpuSeconds();
  } else {
    cpu_ = Seconds(CLOCK_PROCESS_CPUTIME_ID);
    wall_ = Seconds(CLOCK_MONOTONIC);
  }
}

StepTime StepClock::Stop(uint64_t num_keys) const {
  static const double overhead = Overhead();
  if (num_threads_ == 1) {
    const double seconds = std::max(kLeastSeconds, CpuSeconds() - cpu_ - overhead);
    return {seconds, seconds, num_keys};
  }
  const double wall = Seconds(CLOCK_MONOTONIC) - wall_;
  const double cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_;
  return {std::max(kLeastSeconds, wall), std::max(kLeastSeconds, cpu), num_keys};
}

}  // namespace trommel::bench
