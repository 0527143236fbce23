// This thread's CPU time: of one thread that never waits it is the wall's, less what the system
// gave to other programs meanwhile. What all figures here are taken with.
#ifndef TROMMEL_BENCH_CPU_CLOCK_H_
#define TROMMEL_BENCH_CPU_CLOCK_H_

#include <time.h>

namespace trommel::bench {

// Since some fixed moment; POSIX.
inline double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_CPU_CLOCK_H_
