// The clock of a step.
#include "bench/sweep/sweep_step.h"

#include <chrono>
#include <thread>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("a step takes time, and says for how many keys", "[bench][sweep_step]") {
  const uint32_t num_threads = GENERATE(1U, 2U);
  const StepTime time = StepClock(num_threads).Stop(7);
  CHECK(time.num_keys == 7);
  CHECK(time.seconds > 0);
  CHECK(time.cpu_seconds > 0);
  CHECK(time.seconds < 10);
}

TEST_CASE("waiting counts for several threads, and not for one", "[bench][sweep_step]") {
  constexpr std::chrono::milliseconds kPause(20);
  const StepClock one(1);
  const StepClock two(2);
  std::this_thread::sleep_for(kPause);
  CHECK(two.Stop(1).seconds >= 0.02);
  CHECK(one.Stop(1).seconds < 0.02);
}

}  // namespace
}  // namespace trommel::bench
