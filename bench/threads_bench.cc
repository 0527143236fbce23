// Threads and routes: what splitting, more threads and sharing are worth, each as ratios of figures
// taken in the same rounds. How to read it: README.md.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/route_trial.h"
#include "bench/shared_trial.h"
#include "bench/thread_trial.h"
#include "bench/workload.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: threads_bench [--trial=routes|threads|sharing|readers] [--keys=1M,30M] [--rounds=7]\n"
    "                     [--threads=N] [--textbook] [--encoding=planes|runs]\n"
    "  --trial     one trial only (default: all four)\n"
    "  --threads   threads of the second side (default: as many as the machine has)\n"
    "  --textbook  routes: beside the prefetched textbook filter, too (fills slowly)\n"
    "  --encoding  routes: of the filter (default planes; the other trials are of planes)\n";

struct Options {
  std::string trial;
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  uint64_t rounds = 7;
  uint32_t threads = std::max(2U, std::thread::hardware_concurrency());
  bool textbook = false;
  Encoding encoding = Encoding::kPlanes;

  bool Runs(std::string_view name) const { return trial.empty() || trial == name; }
};

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string_view value =
        argument.substr(std::min(argument.find('=') + 1, argument.size()));
    if (argument.starts_with("--trial=")) {
      options.trial = value;
      constexpr std::string_view kTrials[] = {"routes", "threads", "sharing", "readers"};
      if (std::find(std::begin(kTrials), std::end(kTrials), value) == std::end(kTrials)) {
        return std::nullopt;
      }
    } else if (argument.starts_with("--keys=")) {
      const auto keys = ParseCounts(value, 100'000);  // fewer are too short for the clock
      if (!keys) return std::nullopt;
      options.keys = *keys;
    } else if (argument.starts_with("--rounds=") && ParseCount(value)) {
      options.rounds = *ParseCount(value);
    } else if (argument.starts_with("--threads=") && ParseCount(value) &&
               *ParseCount(value) <= 1024) {
      options.threads = static_cast<uint32_t>(*ParseCount(value));
    } else if (argument == "--textbook") {
      options.textbook = true;
    } else if (argument == "--encoding=planes" || argument == "--encoding=runs") {
      options.encoding = value == "runs" ? Encoding::kRuns : Encoding::kPlanes;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

void Print(const std::string& text) {
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  const std::optional<Options> options = ParseOptions(argc, argv);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::printf("Target %s. Medians; ratios are taken in each round: median [min..max].\n\n",
              std::string(ActiveTarget()).c_str());
  for (const uint64_t keys : options->keys) {
    if (options->Runs("routes")) {
      Print(FormatTrial("Direct or split, " + std::string(EncodingName(options->encoding)) +
                            ", one thread, ns a key",
                        kRouteSides,
                        {{"direct / split", 0, 1},
                         {"direct / automatic", 0, 2},
                         {"split / automatic", 1, 2},
                         {"textbook / split", 3, 1}},
                        RunRouteTrial(keys, {0.25, 0.5, 1, 2, 4, 8}, options->rounds,
                                      options->textbook, options->encoding)));
    }
    if (options->Runs("threads")) {
      Print(FormatTrial("One thread or " + std::to_string(options->threads) + ", ns a key",
                        kThreadSides, {{"one / several", 0, 1}},
                        RunThreadTrial(keys, options->threads, options->rounds)));
    }
    if (options->Runs("sharing")) {
      Print(FormatTrial("Exclusive or concurrent, one thread, ns a key", kSharedSides,
                        {{"concurrent / exclusive", 1, 0}},
                        RunSharedTrial(keys, {1, 64, 2048, 1 << 16, 1 << 20}, options->rounds)));
    }
    if (options->Runs("readers")) {
      Print(FormatTrial("A reader beside a writer", kReaderSides, {{"same / other", 1, 0}},
                        RunReaderTrial(keys, options->rounds)));
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
