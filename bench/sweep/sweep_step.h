// A step: the work that is timed at once, and the exception for a wrong answer.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_STEP_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_STEP_H_

#include <cstdint>
#include <string>

namespace trommel::bench {

struct StepTime {
  double seconds = 0;      // CPU time of one thread, wall time of several
  double cpu_seconds = 0;  // of all threads
  uint64_t num_keys = 0;
};

// Runs from its construction until Stop. The time of reading the clock is subtracted: steps in
// small filters take only about ten times as long. Never 0.
class StepClock {
 public:
  explicit StepClock(uint32_t num_threads);
  StepTime Stop(uint64_t num_keys) const;

 private:
  const uint32_t num_threads_;
  double wall_ = 0;
  double cpu_ = 0;
};

// Thrown by a step; ends the sweep, because its figures would be meaningless.
struct WrongAnswer {
  std::string message;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_STEP_H_
