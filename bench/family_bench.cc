// The types of the family in one run, one thread: what generations, buckets and layers cost beside
// one CountingFilter that holds as many keys at the same rate. How to read it: README.md.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/family_trial.h"
#include "bench/workload.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMinKeys = 100'000;  // fewer and a batch is too short for the clock

constexpr char kUsage[] =
    "usage: family_bench [--keys=1M,30M] [--encoding=runs|planes] [--rounds=9]\n"
    "  --keys      sizes to compare at, in turn (at least 100k)\n"
    "  --encoding  of all sides\n"
    "  --rounds    paired measurements of each figure, after one that does not count\n";

struct Options {
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  Encoding encoding = Encoding::kRuns;
  uint64_t rounds = 9;
};

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string_view value =
        argument.substr(std::min(argument.find('=') + 1, argument.size()));
    if (argument.starts_with("--keys=") && ParseCounts(value, kMinKeys)) {
      options.keys = *ParseCounts(value, kMinKeys);
    } else if (argument == "--encoding=runs") {
      options.encoding = Encoding::kRuns;
    } else if (argument == "--encoding=planes") {
      options.encoding = Encoding::kPlanes;
    } else if (argument.starts_with("--rounds=") && ParseCount(value)) {
      options.rounds = *ParseCount(value);
    } else {
      return std::nullopt;
    }
  }
  return options;
}

int Main(int argc, char** argv) {
  const std::optional<Options> options = ParseOptions(argc, argv);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::printf(
      "One thread, target %s, %s, all sides at 1 %% in all. Medians of %d paired rounds; ratios "
      "are taken in each round: median [min..max].\n",
      std::string(ActiveTarget()).c_str(), std::string(EncodingName(options->encoding)).c_str(),
      static_cast<int>(options->rounds));
  for (const uint64_t num_keys : options->keys) {
    const FamilyOutcome outcome =
        RunFamilyTrial({.num_keys = num_keys, .encoding = options->encoding}, options->rounds);
    if (!outcome.wrong.empty()) {
      std::fprintf(stderr, "family_bench: %s\n", outcome.wrong.c_str());
      return 1;
    }
    const std::string title = "\n" + CountName(num_keys) + " keys; ns a key";
    std::printf("%s\n%s%s",
                FormatTrial(title, FamilyColumns(), FamilyRatios(), outcome.rows).c_str(),
                FormatFamilyMemory(outcome).c_str(), JudgeFamily(outcome).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
