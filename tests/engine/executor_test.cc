#include "trommel/executor.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/death.h"

namespace trommel {
namespace {

TEST_CASE("an executor calls every task once, and shows the caller what they wrote",
          "[engine][executor][threads]") {
  const uint32_t num_threads = GENERATE(1, 2, 3, 8);
  const uint32_t num_nodes = GENERATE(0, 1, 2);
  if (num_nodes > num_threads) return;
  const auto executor = Executor::Create(num_threads, num_nodes);
  REQUIRE(executor.ok());
  CHECK((*executor)->num_threads() == num_threads);
  if (num_nodes > 0) CHECK((*executor)->num_nodes() == num_nodes);
  for (const size_t num_tasks : {0, 1, 2, 3, 1000}) {
    std::vector<int> times(num_tasks);
    (*executor)->ForEach(num_tasks, [&](size_t i) { ++times[i]; });
    CHECK(times == std::vector<int>(num_tasks, 1));
  }
}

void Linger() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

TEST_CASE("all threads of an executor work at the same time", "[engine][executor][threads]") {
  const auto [num_threads, num_nodes] =
      GENERATE(table<uint32_t, uint32_t>({{3, 1}, {2, 2}, {4, 2}, {4, 4}}));
  const auto executor = Executor::Create(num_threads, num_nodes);
  REQUIRE(executor.ok());
  // Each task waits for all to have begun: with fewer threads this would never end.
  std::atomic<uint32_t> num_begun{0};
  (*executor)->ForEach(num_threads, [&, wanted = num_threads](size_t) {
    ++num_begun;
    while (num_begun < wanted) std::this_thread::yield();
  });
  CHECK(num_begun == num_threads);
}

TEST_CASE("executors of different sizes all have their threads", "[engine][executor][threads]") {
  const auto large = Executor::Create(6);
  const auto small = Executor::Create(3);
  REQUIRE(large.ok());
  REQUIRE(small.ok());
  for (const auto& executor : {*large, *small}) {
    std::atomic<uint32_t> num_begun{0};
    executor->ForEach(executor->num_threads(), [&](size_t) {
      ++num_begun;
      while (num_begun < executor->num_threads()) std::this_thread::yield();
    });
    CHECK(num_begun == executor->num_threads());
  }
}

TEST_CASE("a caller whose helpers are all busy runs its tasks itself",
          "[engine][executor][threads]") {
  const auto executor = Executor::Create(2);
  REQUIRE(executor.ok());
  std::atomic<int> num_begun{0};
  std::atomic<bool> is_other_done{false};
  std::thread first([&] {
    (*executor)->ForEach(2, [&](size_t) {  // ends only when the other caller's work is done
      ++num_begun;
      while (!is_other_done) std::this_thread::yield();
    });
  });
  while (num_begun < 2) std::this_thread::yield();
  std::atomic<int> num_done{0};
  (*executor)->ForEach(10, [&](size_t) { ++num_done; });
  is_other_done = true;
  first.join();
  CHECK(num_done == 10);
}

TEST_CASE("a pipeline without slots or stages ends the program", "[engine][executor][death]") {
  const auto executor = Executor::Create(1);
  REQUIRE(executor.ok());
  const std::string message = tests::AbortMessage([&] { (*executor)->Run(Executor::Pipeline()); });
  CHECK(message.find("needs slots") != std::string::npos);
}

TEST_CASE("a pipeline reads and finishes in order, and reads no slot before it was finished",
          "[engine][executor][threads]") {
  const uint32_t num_threads = GENERATE(1, 2, 8);
  const size_t num_slots = GENERATE(size_t{1}, 2, 5);
  const size_t num_items = GENERATE(size_t{0}, 1, 4, 100);
  const auto executor = Executor::Create(num_threads);
  REQUIRE(executor.ok());
  struct Slot {
    size_t item = 0;
    int state = 0;  // 0 empty, 1 read, 2 worked on
  };
  std::vector<Slot> slots(num_slots);
  size_t num_read = 0;
  std::vector<size_t> finished;
  std::atomic<int> num_wrong{0};
  const auto expect = [&](bool holds) { num_wrong += holds ? 0 : 1; };
  Executor::Pipeline pipeline;
  pipeline.num_slots = num_slots;
  pipeline.read = [&](size_t s) {
    if (num_read == num_items) return false;
    expect(slots[s].state == 0);
    slots[s] = {num_read++, 1};
    return true;
  };
  std::atomic<size_t> num_worked{0};  // one more than the latest item worked on
  pipeline.work = [&](size_t s) {
    expect(slots[s].state == 1);
    const size_t item = slots[s].item;
    // Where it can, every second item is overtaken by the one after it.
    const bool can_wait = num_threads > 1 && num_slots > 1 && item + 1 < num_items;
    while (can_wait && item % 2 == 0 && num_worked < item + 2) std::this_thread::yield();
    for (size_t seen = num_worked; seen < item + 1;) {
      if (num_worked.compare_exchange_weak(seen, item + 1)) break;
    }
    slots[s].state = 2;
  };
  pipeline.finish = [&](size_t s) {
    expect(slots[s].state == 2);
    finished.push_back(slots[s].item);
    slots[s].state = 0;
  };
  (*executor)->Run(pipeline);
  CHECK(num_wrong == 0);
  std::vector<size_t> in_order(num_items);
  for (size_t i = 0; i < num_items; ++i) in_order[i] = i;
  CHECK(finished == in_order);
}

TEST_CASE("in a child made by fork the calling thread runs an executor's tasks itself",
          "[engine][executor][threads]") {
  const auto executor = Executor::Create(4);
  REQUIRE(executor.ok());
  std::atomic<bool> ends{false};
  std::thread user([&] {  // so that helpers are at work, and locks held, at the moment of a fork
    while (!ends) (*executor)->ForEach(64, [](size_t) { Linger(); });
  });
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(20);  // ends a child that hangs
      const std::thread::id self = std::this_thread::get_id();
      std::vector<int> times(100);
      bool is_alone = true;
      const auto task = [&](size_t i) {
        ++times[i];
        is_alone &= std::this_thread::get_id() == self;
      };
      (*executor)->ForEach(times.size(), task);
      size_t num_read = 0;
      (*executor)->Run({.num_slots = 2,
                        .read = [&](size_t) { return num_read++ < times.size(); },
                        .work = [&](size_t) { task(num_read - 1); },
                        .finish = [](size_t) {}});
      _exit(is_alone && times == std::vector<int>(times.size(), 2) ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  ends = true;
  user.join();
}

TEST_CASE(
    "an executor without a size has one thread per processor, and sizes out of range are refused",
    "[engine][executor]") {
  const auto any = Executor::Create();
  REQUIRE(any.ok());
  CHECK((*any)->num_threads() >= 1);
  CHECK((*any)->num_nodes() >= 1);
  const auto many = Executor::Create(Executor::kMaxThreads + 1);
  REQUIRE_FALSE(many.ok());
  CHECK(many.error().code == ErrorCode::kInvalidArgument);
  CHECK(many.error().message.find("1025") != std::string::npos);
  const auto split = Executor::Create(2, 3);
  REQUIRE_FALSE(split.ok());
  CHECK(split.error().message.find("num_nodes is 3") != std::string::npos);
}

}  // namespace
}  // namespace trommel
