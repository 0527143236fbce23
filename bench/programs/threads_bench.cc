// Threads and routes: the gain or cost of splitting, of more threads and of sharing, each as ratios
// of figures taken in the same rounds. How to read it: README.md.
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/thread_trials.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMinKeys = 100'000;  // with fewer a batch is too short for the clock
constexpr uint64_t kMostThreads = 1024;
constexpr size_t kAllTrials = 5;

constexpr char kUsage[] =
    "usage: threads_bench [--trial=routes|threads|sharing|callers|readers] [--keys=1M,30M]\n"
    "                     [--rounds=7] [--threads=N] [--textbook]\n"
    "                     [--encoding=planes|runs|fingerprints16|dense]\n"
    "  --trial     one trial only (default: all five)\n"
    "  --threads   threads of the second side (default: as many as the machine has)\n"
    "  --textbook  routes: also beside the prefetched textbook filter (fills slowly)\n"
    "  --encoding  of the filters (default planes)\n";

void Print(const std::string& text) {
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  size_t trial = kAllTrials;
  std::vector<uint64_t> all_keys = {1'000'000, 30'000'000};
  uint64_t rounds = 7;
  uint64_t num_threads = std::max(2U, std::thread::hardware_concurrency());
  bool with_textbook = false;
  size_t encoding_idx = 0;
  if (!ReadArguments(
          argc, argv,
          {WordArgument("--trial", {"routes", "threads", "sharing", "callers", "readers"}, trial),
           CountsArgument("--keys", all_keys, kMinKeys), CountArgument("--rounds", rounds),
           CountArgument("--threads", num_threads, kMostThreads),
           FlagArgument("--textbook", with_textbook),
           WordArgument("--encoding", {"planes", "runs", "fingerprints16", "dense"}, encoding_idx)},
          kUsage)) {
    return 2;
  }
  const auto runs = [trial](size_t one) { return trial == kAllTrials || trial == one; };
  const auto threads = static_cast<uint32_t>(num_threads);
  const auto encoding = static_cast<Encoding>(encoding_idx);  // in the order of their values
  const std::string of = " (" + std::string(EncodingName(encoding)) + ")";
  std::printf("Target %s. Medians; ratios are taken in each round: median [min..max].\n\n",
              std::string(ActiveTarget()).c_str());
  for (const uint64_t keys : all_keys) {
    if (runs(0)) {
      Print(FormatTrial(
          "Direct or split, one thread, ns per key" + of, kRouteSides,
          {{"direct / split", 0, 1},
           {"direct / automatic", 0, 2},
           {"split / automatic", 1, 2},
           {"textbook / split", 3, 1}},
          RunRouteTrial(keys, {0.25, 0.5, 1, 2, 4, 8}, rounds, with_textbook, encoding)));
    }
    if (runs(1)) {
      Print(FormatTrial("One thread or " + std::to_string(threads) + ", ns per key" + of,
                        kThreadSides, {{"one / several", 0, 1}},
                        RunThreadTrial(keys, threads, rounds, encoding)));
    }
    if (runs(2)) {
      Print(FormatTrial("Exclusive or concurrent, one thread, ns per key" + of, kSharedSides,
                        {{"concurrent / exclusive", 1, 0}},
                        RunSharedTrial(keys, {1, 64, 2048, 1 << 16}, rounds, encoding)));
    }
    if (runs(3)) {
      Print(FormatTrial("One caller or " + std::to_string(threads) + ", ns per key" + of,
                        kCallerSides, {{"one / several", 0, 1}},
                        RunCallerTrial(keys, threads, rounds, encoding)));
    }
    if (runs(4)) {
      Print(FormatTrial("A reader beside a writer, ns per key" + of, kReaderSides,
                        {{"same / alone", 2, 0}, {"same / other", 2, 1}},
                        RunReaderTrial(keys, rounds, encoding)));
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
