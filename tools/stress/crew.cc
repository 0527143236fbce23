// The threads of a round.
#include "tools/stress/crew.h"

#include <fmt/format.h>

#include <chrono>
#include <latch>
#include <system_error>
#include <thread>

namespace trommel::stress {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(1);

}  // namespace

Result<bool> RunCrew(RoundState& state, const std::vector<std::function<void()>>& jobs,
                     const Watch& watch, const std::function<void()>& on_look) {
  std::latch start(static_cast<ptrdiff_t>(jobs.size()));
  std::vector<std::thread> threads;
  threads.reserve(jobs.size());
  try {
    for (const std::function<void()>& job : jobs) {
      threads.emplace_back([&state, &start, &job] {
        start.arrive_and_wait();
        job();
        state.num_finished.fetch_add(1);
      });
    }
  } catch (const std::system_error& error) {
    state.stop = true;
    start.count_down(static_cast<ptrdiff_t>(jobs.size() - threads.size()));
    for (std::thread& thread : threads) thread.join();
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot start {} threads: {}", jobs.size(), error.what())};
  }
  bool was_told = false;
  while (state.num_finished.load() < jobs.size()) {
    if (!was_told && watch.should_stop && watch.should_stop()) {
      was_told = true;
      state.stop = true;
    }
    if (watch.on_working) watch.on_working(state.num_keys.load(std::memory_order_relaxed));
    if (on_look) on_look();
    std::this_thread::sleep_for(kBetweenLooks);
  }
  for (std::thread& thread : threads) thread.join();
  return was_told;
}

}  // namespace trommel::stress
