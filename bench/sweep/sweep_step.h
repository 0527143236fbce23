// A step: the work that is timed at once, and what it says when its answer is wrong.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_STEP_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_STEP_H_

#include <cstdint>
#include <string>

namespace trommel::bench {

struct StepTime {
  double seconds = 0;      // of one thread its CPU time, of several what the wall clock says
  double cpu_seconds = 0;  // of all threads
  uint64_t num_keys = 0;
};

// Runs from its making until Stop. What reading the clock costs is taken off: steps in small
// filters take only some ten times as long. Never 0.
class StepClock {
 public:
  explicit StepClock(uint32_t num_threads);
  StepTime Stop(uint64_t num_keys) const;

 private:
  const uint32_t num_threads_;
  double wall_ = 0;
  double cpu_ = 0;
};

// Thrown by a step, and ends the sweep: its figures would be worth nothing.
struct WrongAnswer {
  std::string message;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_STEP_H_
