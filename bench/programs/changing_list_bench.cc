// A list of names that threads look up all the time while another thread changes it: sets behind a
// lock beside a ConcurrentFilter. An update is due every few milliseconds; counted are those that
// were done in time, and the lookups beside them.
//
// The readers do nothing but look names up, so that one of them nearly always holds a shared lock,
// and the std::shared_mutex of glibc lets further readers in before a writer that waits.
#include <malloc.h>
#include <tsl/robin_set.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
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
  static constexpr double kMostShown = 0;  // of names that never were in the list
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

template <class Set>
using SharedSet = LockedSet<Set, std::shared_mutex, std::shared_lock<std::shared_mutex>>;
template <class Set>
using ExclusiveSet = LockedSet<Set, std::mutex, std::lock_guard<std::mutex>>;
using StdSet = std::unordered_set<std::string>;
using FlatSet = tsl::robin_set<std::string>;

class Filter {
 public:
  static constexpr double kMostShown = 3 * kRate;
  explicit Filter(size_t num_names)
      : filter_(ConcurrentFilter::Create({.capacity = num_names, .target_fpr = kRate}).value()) {}
  void Update(Names gone, Names come) {
    filter_.Insert(come);
    filter_.Erase(gone);
  }
  bool Contains(const std::string& name) { return filter_.MayContain(name); }
  uint64_t num_bytes() const { return filter_.GetStats().num_bytes; }

 private:
  ConcurrentFilter filter_;
};

// The list is num_names from the first on, and moves on by kNamesPerUpdate with each update; behind
// those that come lie names that never do, three times as many as the list has.
std::vector<std::string> MakeNames(const Settings& settings) {
  std::vector<std::string> names(4 * settings.num_names + settings.num_updates() * kNamesPerUpdate);
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = Printed("host-%llx.example", static_cast<unsigned long long>(KeyAt(i)));
  }
  return names;
}

uint64_t HeapBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

// Prints a row; returns whether every name that was in the list throughout was found, and of the
// names that never were at most the share that the list may show.
template <class List>
bool Run(const char* side, const Settings& settings, Names names) {
  uint64_t num_bytes = HeapBytes();
  List list(settings.num_names + kNamesPerUpdate);
  list.Update({}, names.first(settings.num_names));
  num_bytes = HeapBytes() - num_bytes;
  if constexpr (requires { list.num_bytes(); }) num_bytes = list.num_bytes();

  const size_t num_gone = settings.num_updates() * kNamesPerUpdate;
  std::atomic<bool> is_over = false;
  std::atomic<uint64_t> num_lookups = 0;
  std::atomic<uint64_t> num_missed = 0;
  std::atomic<uint64_t> num_never = 0;
  std::atomic<uint64_t> num_shown = 0;  // of these
  std::vector<std::thread> readers;
  for (uint64_t reader = 0; reader < settings.num_readers; ++reader) {
    readers.emplace_back([&, reader] {
      uint64_t count = 0;
      uint64_t never = 0;
      uint64_t shown = 0;
      for (; !is_over.load(std::memory_order_relaxed); ++count) {
        const size_t i = KeyAt((reader << 40) + count) % names.size();
        const bool stays = i >= num_gone && i < settings.num_names;
        const bool found = list.Contains(names[i]);
        if (!found && stays) ++num_missed;
        if (i < settings.num_names + num_gone) continue;
        ++never;
        shown += found ? 1 : 0;
      }
      num_lookups += count;
      num_never += never;
      num_shown += shown;
    });
  }
  Figures waits_ms;  // from when each update was due until it was done
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end = begin + std::chrono::seconds(settings.num_seconds);
  std::thread writer([&] {
    for (uint64_t i = 0; i < settings.num_updates(); ++i) {
      const Clock::time_point due =
          begin + std::chrono::nanoseconds(1'000'000'000 * i / settings.updates_per_second);
      std::this_thread::sleep_until(due);
      const size_t first = i * kNamesPerUpdate;
      list.Update(names.subspan(first, kNamesPerUpdate),
                  names.subspan(settings.num_names + first, kNamesPerUpdate));
      const Clock::time_point now = Clock::now();
      if (now > end) return;
      waits_ms.push_back(std::chrono::duration<double, std::milli>(now - due).count());
    }
  });
  std::this_thread::sleep_until(end);
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  writer.join();
  std::printf("%-28s %8zu %16s %17.2f %8.1f\n", side, waits_ms.size(),
              waits_ms.empty() ? "-" : Printed("%.1f", Median(waits_ms)).c_str(),
              static_cast<double>(num_lookups) / 1e6 / static_cast<double>(settings.num_seconds),
              static_cast<double>(num_bytes) / 1e6);
  // A short list has few names that never were in it, each of them looked up often.
  const double most_shown = List::kMostShown * (1 + 1e4 / static_cast<double>(settings.num_names));
  return num_missed == 0 &&
         static_cast<double>(num_shown) <= most_shown * static_cast<double>(num_never);
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
  std::printf("%s names, %llu readers; of %llu updates those done within %llu s\n",
              CountName(settings.num_names).c_str(),
              static_cast<unsigned long long>(settings.num_readers),
              static_cast<unsigned long long>(settings.num_updates()),
              static_cast<unsigned long long>(settings.num_seconds));
  std::printf("%-28s %8s %16s %17s %8s\n", "", "updates", "median wait, ms", "M lookups per s",
              "MB");
  bool is_right = Run<SharedSet<StdSet>>("unordered_set, shared_mutex", settings, names);
  is_right &= Run<SharedSet<FlatSet>>("flat set, shared_mutex", settings, names);
  is_right &= Run<ExclusiveSet<StdSet>>("unordered_set, mutex", settings, names);
  is_right &= Run<ExclusiveSet<FlatSet>>("flat set, mutex", settings, names);
  is_right &= Run<Filter>("ConcurrentFilter", settings, names);
  if (!is_right)
    std::fprintf(stderr,
                 "changing_list_bench: a listed name was missed, or too many others found\n");
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
