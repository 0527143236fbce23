// The threads of a round.
#include "tools/stress/crew.h"

#include <atomic>
#include <thread>

#include "support/catch.h"

namespace trommel::stress {
namespace {

TEST_CASE("all jobs begin together and are waited for", "[stress][crew][threads]") {
  RoundState state;
  std::atomic<int> num_here = 0;
  const auto job = [&] {
    ++num_here;
    while (num_here.load() < 3) std::this_thread::yield();  // ends only if all run
  };
  int num_looks = 0;
  const Result<bool> was_told = RunCrew(state, {job, job, job}, {}, [&] { ++num_looks; });
  REQUIRE(was_told.ok());
  CHECK_FALSE(*was_told);
  CHECK(state.num_finished.load() == 3);
}

TEST_CASE("jobs are told to stop", "[stress][crew][threads]") {
  RoundState state;
  int num_asked = 0;
  uint64_t seen = 0;
  Watch watch;
  // Not before the job has begun, which may take long.
  watch.should_stop = [&] { return seen == 42 && ++num_asked == 3; };
  watch.on_working = [&](uint64_t num_keys) { seen = num_keys; };
  const auto job = [&] {
    state.num_keys = 42;
    while (!state.stop.load()) std::this_thread::yield();
  };
  const Result<bool> was_told = RunCrew(state, {job}, watch);
  REQUIRE(was_told.ok());
  CHECK(*was_told);
  CHECK(num_asked == 3);
  CHECK(seen == 42);
}

}  // namespace
}  // namespace trommel::stress
