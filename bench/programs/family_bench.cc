// Our filter types in one run, one thread: the cost of growth and buckets beside one
// CountingFilter that holds as many keys at the same rate. How to read it: README.md.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/family_trial.h"
#include "bench/trials/growth_trial.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMinKeys = 100'000;  // with fewer a batch is too short for the clock

constexpr char kUsage[] =
    "usage: family_bench [--keys=1M,30M] [--encoding=runs|planes] [--rounds=9]\n"
    "  --keys      sizes to compare at, in turn (at least 100k)\n"
    "  --encoding  of the counting and concurrent sides\n"
    "  --rounds    paired measurements of each figure, after one that does not count\n";

// False, with a message, if an answer was wrong.
bool RunGrowth(uint64_t num_keys, uint64_t rounds) {
  const GrowthOutcome outcome = RunGrowthTrial(num_keys, rounds);
  if (!outcome.wrong.empty()) {
    std::fprintf(stderr, "family_bench: %s\n", outcome.wrong.c_str());
    return false;
  }
  const std::string title = "\n" + CountName(num_keys) + " keys, growth; ns per key";
  std::printf("%s\n%s", FormatTrial(title, GrowthColumns(), GrowthRatios(), outcome.rows).c_str(),
              JudgeGrowth(outcome).c_str());
  std::fflush(stdout);
  return true;
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  size_t encoding_idx = 0;
  uint64_t rounds = 9;
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--keys", keys, kMinKeys),
                      WordArgument("--encoding", {"runs", "planes"}, encoding_idx),
                      CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  const Encoding encoding = encoding_idx == 0 ? Encoding::kRuns : Encoding::kPlanes;
  std::printf(
      "One thread, target %s, %s, all sides at 1 %% in all. Medians of %d paired rounds; ratios "
      "are taken in each round: median [min..max].\n",
      std::string(ActiveTarget()).c_str(), std::string(EncodingName(encoding)).c_str(),
      static_cast<int>(rounds));
  for (const uint64_t num_keys : keys) {
    const FamilyOutcome outcome =
        RunFamilyTrial({.num_keys = num_keys, .encoding = encoding}, rounds);
    if (!outcome.wrong.empty()) {
      std::fprintf(stderr, "family_bench: %s\n", outcome.wrong.c_str());
      return 1;
    }
    const std::string title = "\n" + CountName(num_keys) + " keys; ns per key";
    std::printf("%s\n%s%s",
                FormatTrial(title, FamilyColumns(), FamilyRatios(), outcome.rows).c_str(),
                FormatFamilyMemory(outcome).c_str(), JudgeFamily(outcome).c_str());
    std::fflush(stdout);
    if (!RunGrowth(num_keys, rounds)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
