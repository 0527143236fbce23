// The counting filter beside a textbook counting Bloom filter and a plain split-block filter, one
// thread, one run, the same keys and digests. How to read it: README.md.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/sides/contenders.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/sides_trial.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr double kTargetFpr = 0.01;
constexpr double kSecondsPerCeiling = 0.05;
constexpr uint64_t kMinKeys = 10'000;  // with fewer a batch is too short for the clock

constexpr char kUsage[] =
    "usage: counting_filter_bench [--keys=1M,30M] [--rounds=9]\n"
    "  --keys    sizes to compare at, in turn (at least 10k)\n"
    "  --rounds  paired measurements of each figure, after one that does not count\n";

int Main(int argc, char** argv) {
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  uint64_t rounds = 9;
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--keys", keys, kMinKeys), CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  const std::vector<RatioColumn> ratios = {{"ceiling / trommel", kNumSides, kOurs},
                                           {"textbook / trommel", kTextbook, kOurs},
                                           {"unprefetched / trommel", kTextbookUnprefetched, kOurs},
                                           {"trommel / split-block", kOurs, kSplitBlock}};
  std::printf(
      "One thread, target %s. Medians of %d paired rounds; ratios are taken in each round: median "
      "[min..max].\n",
      std::string(ActiveTarget()).c_str(), static_cast<int>(rounds));
  for (const uint64_t num_keys : keys) {
    const SidesOutcome outcome =
        RunSidesTrial(num_keys, MakeContenders(num_keys, kTargetFpr), rounds,
                      CeilingColumn{.side = kOurs, .seconds = kSecondsPerCeiling});
    if (!PrintSidesTrial("counting_filter_bench", num_keys, outcome, ratios)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
