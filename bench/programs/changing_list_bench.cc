// A list of names that threads look up all the time while another thread changes it: sets behind a
// lock beside a ConcurrentFilter. An update is due every few milliseconds; counted are those that
// were done in time, and the lookups beside them.
//
// The readers do nothing but look names up, so one of them nearly always holds a shared lock. A
// std::shared_mutex of glibc lets readers in before a waiting writer.
#include <malloc.h>
#include <tsl/robin_set.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/concurrent_filter.h"

namespace trommel::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Names = std::span<const std::string>;

constexpr char kUsage[] =
    "usage: changing_list_bench [--names=1M] [--readers=4] [--seconds=6] [--updates=100]\n"
    "  --names    in the list\n"
    "  --readers  threads that look names up: a quarter of them are in the list\n"
    "  --seconds  for each side\n"
    "  --updates  due per second: 100 names come, 100 others go\n";
constexpr size_t kNamesPerUpdate = 100;
constexpr double kRate = 0.001;

struct Settings {
  uint64_t num_names = 1'000'000;
  uint64_t num_readers = 4;
  uint64_t num_seconds = 6;
  uint64_t updates_per_second = 100;

  uint64_t num_updates() const { return num_seconds * updates_per_second; }
};

template <class Set, class Mutex, class ReadLock>
class LockedSet {
 public:
  explicit LockedSet(size_t num_names) { set_.reserve(num_names); }
  void Update(Names gone, Names come) {
    const std::lock_guard lock(mutex_);
    for (const std::string& name : gone) set_.erase(name);
    for (const std::string& name : come) set_.insert(name);
  }
  bool Contains(const std::string& name) {
    const ReadLock lock(mutex_);
    return set_.find(name) != set_.end();
  }

 private:
  Mutex mutex_;
  Set set_;
};

using StdSet = std::unordered_set<std::string>;
using FlatSet = tsl::robin_set<std::string>;
using Shared = std::shared_lock<std::shared_mutex>;
using Exclusive = std::lock_guard<std::mutex>;

class Filter {
 public:
  explicit Filter(size_t num_names)
      : filter_(ConcurrentFilter::Create({.capacity = num_names, .target_fpr = kRate}).value()) {}
  void Update(Names gone, Names come) {
    filter_.Insert(come);
    filter_.Erase(gone);
  }
  bool Contains(const std::string& name) { return filter_.MayContain(name); }

 private:
  ConcurrentFilter filter_;
};

// The list is names [first, first + num_names) and moves on by kNamesPerUpdate with each update. As
// many as are in it at first and come later lie behind them, and three times as many that never do.
std::vector<std::string> MakeNames(const Settings& settings) {
  const uint64_t num_listed = settings.num_names + settings.num_updates() * kNamesPerUpdate;
  std::vector<std::string> names(num_listed + 3 * settings.num_names);
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = Printed("host-%llx.example", static_cast<unsigned long long>(KeyAt(i) >> 24));
  }
  return names;
}

struct Outcome {
  uint64_t num_updates = 0;
  uint64_t num_lookups = 0;
  uint64_t num_missed = 0;
  Figures waits_ms;  // from when each update was due until it was done
  double megabytes = 0;
};

double HeapMegabytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd) / 1e6;
}

template <class List>
Outcome Run(const Settings& settings, const std::vector<std::string>& names) {
  Outcome outcome;
  const double before = HeapMegabytes();
  List list(settings.num_names + kNamesPerUpdate);
  const Names all(names);
  list.Update({}, all.first(settings.num_names));
  outcome.megabytes = HeapMegabytes() - before;

  const size_t num_gone = settings.num_updates() * kNamesPerUpdate;
  std::atomic<bool> is_over = false;
  std::atomic<uint64_t> num_lookups = 0;
  std::atomic<uint64_t> num_missed = 0;
  std::vector<std::thread> readers;
  for (uint64_t reader = 0; reader < settings.num_readers; ++reader) {
    readers.emplace_back([&, reader] {
      uint64_t count = 0;
      uint64_t missed = 0;
      for (; !is_over.load(std::memory_order_relaxed); ++count) {
        const size_t i = KeyAt((reader << 40) + count) % names.size();
        const bool is_listed = list.Contains(names[i]);
        // These are in the list from the first moment to the last.
        missed += !is_listed && i >= num_gone && i < settings.num_names ? 1 : 0;
      }
      num_lookups += count;
      num_missed += missed;
    });
  }
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end = begin + std::chrono::seconds(settings.num_seconds);
  std::thread writer([&] {
    for (uint64_t i = 0; i < settings.num_updates(); ++i) {
      const Clock::time_point due =
          begin + std::chrono::nanoseconds(1'000'000'000 * i / settings.updates_per_second);
      std::this_thread::sleep_until(due);
      list.Update(all.subspan(i * kNamesPerUpdate, kNamesPerUpdate),
                  all.subspan(settings.num_names + i * kNamesPerUpdate, kNamesPerUpdate));
      const Clock::time_point now = Clock::now();
      if (now > end) return;
      ++outcome.num_updates;
      outcome.waits_ms.push_back(std::chrono::duration<double, std::milli>(now - due).count());
    }
  });
  std::this_thread::sleep_until(end);
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  writer.join();
  outcome.num_lookups = num_lookups;
  outcome.num_missed = num_missed;
  return outcome;
}

int Main(int argc, char** argv) {
  Settings settings;
  if (!ReadArguments(argc, argv,
                     {CountArgument("--names", settings.num_names),
                      CountArgument("--readers", settings.num_readers, 1000),
                      CountArgument("--seconds", settings.num_seconds, 3600),
                      CountArgument("--updates", settings.updates_per_second, 10'000)},
                     kUsage)) {
    return 2;
  }
  const std::vector<std::string> names = MakeNames(settings);
  using Side = std::pair<const char*, Outcome (*)(const Settings&, const std::vector<std::string>&)>;
  const Side sides[] = {
      {"unordered_set, shared_mutex", &Run<LockedSet<StdSet, std::shared_mutex, Shared>>},
      {"flat set, shared_mutex", &Run<LockedSet<FlatSet, std::shared_mutex, Shared>>},
      {"unordered_set, mutex", &Run<LockedSet<StdSet, std::mutex, Exclusive>>},
      {"flat set, mutex", &Run<LockedSet<FlatSet, std::mutex, Exclusive>>},
      {"ConcurrentFilter", &Run<Filter>}};
  std::printf("%s names, %llu readers; updates of %llu that were due in %llu s\n",
              CountName(settings.num_names).c_str(),
              static_cast<unsigned long long>(settings.num_readers),
              static_cast<unsigned long long>(settings.num_updates()),
              static_cast<unsigned long long>(settings.num_seconds));
  std::printf("%-28s %8s %14s %18s %8s\n", "", "updates", "median wait, ms", "M lookups per s", "MB");
  int exit_code = 0;
  for (const auto& [name, run] : sides) {
    const Outcome outcome = run(settings, names);
    std::printf("%-28s %8llu %15.1f %18.2f %8.1f\n", name,
                static_cast<unsigned long long>(outcome.num_updates), Median(outcome.waits_ms),
                static_cast<double>(outcome.num_lookups) / 1e6 /
                    static_cast<double>(settings.num_seconds),
                outcome.megabytes);
    if (outcome.num_missed > 0) exit_code = 1;
  }
  if (exit_code == 1) std::fprintf(stderr, "changing_list_bench: a listed name was missed\n");
  return exit_code;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
