// No thread waits for a task that has not begun: executors of every small shape, nested in each
// other, called by many threads, and below tasks of the user's own oneTBB.
#include <tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"

namespace trommel {
namespace {

// Ends the program when nothing has been reported for 30 seconds: threads that wait for each other
// can neither be joined nor stopped.
class Watchdog {
 public:
  Watchdog() : thread_([this] { Watch(); }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    reported_.notify_one();
    thread_.join();
  }

  void Report(std::string doing) {
    {
      const std::lock_guard lock(mutex_);
      doing_ = std::move(doing);
      ++num_reports_;
    }
    reported_.notify_one();
  }

 private:
  void Watch() {
    std::unique_lock lock(mutex_);
    for (uint64_t seen = 0; !has_ended_; seen = num_reports_) {
      const auto has_news = [&] { return has_ended_ || num_reports_ != seen; };
      if (reported_.wait_for(lock, std::chrono::seconds(30), has_news)) continue;
      std::fprintf(stderr, "no progress for 30 s: %s\n", doing_.c_str());
      std::abort();
    }
  }

  std::mutex mutex_;
  std::condition_variable reported_;
  std::string doing_;
  uint64_t num_reports_ = 0;
  bool has_ended_ = false;
  std::thread thread_;  // last: it uses all of the above
};

struct Shape {
  uint32_t num_threads;
  uint32_t num_nodes;
};

std::vector<Shape> SmallShapes() {
  std::vector<Shape> shapes;
  for (uint32_t threads = 1; threads <= 4; ++threads) {
    for (uint32_t nodes = 1; nodes <= threads; ++nodes) shapes.push_back({threads, nodes});
  }
  return shapes;
}

// Calls run(a, b) for all pairs of small executors.
template <class Run>
void ForAllPairs(const Run& run) {
  Watchdog watchdog;
  for (const Shape& outer : SmallShapes()) {
    for (const Shape& inner : SmallShapes()) {
      watchdog.Report(std::to_string(outer.num_threads) + " threads in " +
                      std::to_string(outer.num_nodes) + " arenas beside " +
                      std::to_string(inner.num_threads) + " in " + std::to_string(inner.num_nodes));
      run(*Executor::Create(outer.num_threads, outer.num_nodes).value(),
          *Executor::Create(inner.num_threads, inner.num_nodes).value());
    }
  }
}

void Sleep(int microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

TEST_CASE("an executor of two arenas inside one of two threads always ends",
          "[engine][executor][threads]") {
  Watchdog watchdog;
  const std::shared_ptr<Executor> outer = Executor::Create(2, 1).value();
  const std::shared_ptr<Executor> inner = Executor::Create(2, 2).value();
  for (int round = 0; round < 100; ++round) {
    watchdog.Report("round " + std::to_string(round));
    outer->ForEach(8, [&](size_t) { inner->ForEach(4, [](size_t) { Sleep(1000); }); });
  }
}

TEST_CASE("a task may wait for oneTBB tasks that other threads stole and that use executors",
          "[engine][executor][threads]") {
  ForAllPairs([](Executor& a, Executor& b) {
    std::atomic<int> num_calls{0};
    a.ForEach(4, [&](size_t) {
      tbb::parallel_for(0, 4, [&](int i) {
        (i % 2 == 0 ? a : b).ForEach(3, [&](size_t) {
          Sleep(50);
          ++num_calls;
        });
      });
    });
    REQUIRE(num_calls == 4 * 4 * 3);
  });
}

TEST_CASE("threads may share executors in opposite orders", "[engine][executor][threads]") {
  ForAllPairs([](Executor& a, Executor& b) {
    std::atomic<int> num_calls{0};
    const auto nest = [&](Executor& outer, Executor& inner) {
      outer.ForEach(4, [&](size_t) {
        inner.ForEach(4, [&](size_t) {
          Sleep(20);
          ++num_calls;
        });
      });
    };
    std::thread other([&] { nest(b, a); });
    nest(a, b);
    other.join();
    REQUIRE(num_calls == 2 * 4 * 4);
  });
}

// Runs a pipeline of six items whose work calls work(), and whose other stages call it, too.
template <class Work>
void RunPipeline(Executor& executor, const Work& work) {
  int num_read = 0;
  executor.Run({.num_slots = 3,
                .read = [&](size_t) { return work(), num_read++ < 6; },
                .work = [&](size_t) { work(); },
                .finish = [&](size_t) { work(); }});
}

TEST_CASE("pipelines and batches of tasks may be nested in each other",
          "[engine][executor][threads]") {
  ForAllPairs([](Executor& a, Executor& b) {
    std::atomic<int> num_calls{0};
    const auto count = [&](size_t) { ++num_calls; };
    const auto run_both = [&] {
      RunPipeline(b, [&] {
        a.ForEach(2, count);
        b.ForEach(2, count);
      });
    };
    a.ForEach(3, [&](size_t) { run_both(); });
    RunPipeline(a, run_both);
    tbb::parallel_for(0, 3, [&](int) { run_both(); });
    // A pipeline of six items calls a stage 7 + 6 + 6 times, and each calls four tasks.
    REQUIRE(num_calls == (3 + 19 + 3) * 19 * 4);
  });
}

TEST_CASE("an executor may end before the threads that it started have begun",
          "[engine][executor][threads]") {
  Watchdog watchdog;
  for (int round = 0; round < 300; ++round) {
    watchdog.Report("round " + std::to_string(round));
    std::atomic<int> num_calls{0};
    Executor::Create(4, 2).value()->ForEach(4, [&](size_t) { ++num_calls; });
    REQUIRE(num_calls == 4);
  }
}

}  // namespace
}  // namespace trommel
