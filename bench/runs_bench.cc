// The two encodings in one run, one thread: memory, rate and speed of runs beside planes, the
// textbook counting Bloom filter and a plain split-block filter, all sized for the same rate, and
// whether runs reach what they were made for. How to read it: README.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/encoding_targets.h"
#include "bench/encoding_trial.h"
#include "bench/workload.h"
#include "trommel/sizing.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMinKeys = 10'000;  // fewer and a batch is too short for the clock

constexpr char kUsage[] =
    "usage: runs_bench [--keys=1M,30M] [--fpr=0.004,0.0061] [--slices=4|5|8|10] [--rounds=9]\n"
    "  --keys    sizes to compare at, in turn (at least 10k)\n"
    "  --fpr     target rates that all sides are sized for, in turn (0.000001 to 0.5)\n"
    "  --slices  of the runs' blocks\n"
    "  --rounds  paired measurements of each figure, after one that does not count\n";

struct Options {
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  std::vector<double> rates = {0.004, 0.0061};
  uint32_t slices = 5;
  uint64_t rounds = 9;
};

std::optional<std::vector<double>> ParseRates(const std::string& list) {
  std::vector<double> rates;
  for (const char* text = list.c_str();; ++text) {
    char* end = nullptr;
    rates.push_back(std::strtod(text, &end));
    const bool is_rate = rates.back() >= kMinTargetFpr && rates.back() <= kMaxTargetFpr;
    if (end == text || !is_rate || (*end != ',' && *end != '\0')) return std::nullopt;
    if (*end == '\0') return rates;
    text = end;
  }
}

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string_view value =
        argument.substr(std::min(argument.find('=') + 1, argument.size()));
    if (argument.starts_with("--keys=")) {
      const auto keys = ParseCounts(value, kMinKeys);
      if (!keys) return std::nullopt;
      options.keys = *keys;
    } else if (argument.starts_with("--fpr=")) {
      const auto rates = ParseRates(std::string(value));
      if (!rates) return std::nullopt;
      options.rates = *rates;
    } else if (argument.starts_with("--slices=")) {
      const uint64_t slices = ParseCount(value).value_or(0);
      if (slices != 4 && slices != 5 && slices != 8 && slices != 10) return std::nullopt;
      options.slices = static_cast<uint32_t>(slices);
    } else if (argument.starts_with("--rounds=") && ParseCount(value)) {
      options.rounds = *ParseCount(value);
    } else {
      return std::nullopt;
    }
  }
  return options;
}

void Print(const EncodingOutcome& outcome) {
  char title[160];
  std::snprintf(title, sizeof(title), "\n%s keys, all sized for %.2f %%; ns a key",
                CountName(outcome.request.num_keys).c_str(), 100 * outcome.request.target_fpr);
  std::printf("%s\n%s", FormatTrial(title, kEncodingColumns, kEncodingRatios, outcome.rows).c_str(),
              FormatMemory(outcome).c_str());
  for (const TargetVerdict& verdict : JudgeRuns(outcome)) {
    std::printf("target  %-75s  %s\n", verdict.text.c_str(), verdict.is_met ? "met" : "NOT MET");
  }
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  const std::optional<Options> options = ParseOptions(argc, argv);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::printf(
      "One thread, target %s, runs of %u slices. Medians of %d paired rounds; ratios are taken in "
      "each round: median [min..max].\n",
      std::string(ActiveTarget()).c_str(), options->slices, static_cast<int>(options->rounds));
  for (const double rate : options->rates) {
    for (const uint64_t num_keys : options->keys) {
      const EncodingOutcome outcome = RunEncodingTrial({.num_keys = num_keys,
                                                        .target_fpr = rate,
                                                        .run_slices = options->slices,
                                                        .rounds = options->rounds});
      if (!outcome.wrong.empty()) {
        std::fprintf(stderr, "runs_bench: %s\n", outcome.wrong.c_str());
        return 1;
      }
      Print(outcome);
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
