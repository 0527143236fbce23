// All encodings in one run, one thread: memory, rate and speed of planes, runs and fingerprints
// beside the textbook counting Bloom filter and a plain split-block filter, and whether targets are
// met. How to read it: README.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sides/demand.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/encoding_trial.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMinKeys = 10'000;  // with fewer a batch is too short for the clock

constexpr char kUsage[] =
    "usage: encodings_bench [--keys=1M,30M] [--fpr=0.004,0.0061] [--slices=4|5|8|10] [--rounds=9]\n"
    "  --keys      sizes to compare at, in turn (at least 10k)\n"
    "  --fpr       target rates of all sides but fingerprints, in turn (0.000001 to 0.5)\n"
    "  --slices    of the runs' blocks\n"
    "  --rounds    paired measurements of each figure, after one that does not count\n";

// Nothing if one is not a rate that filters are sized for.
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

void Print(const EncodingOutcome& outcome) {
  const std::string title =
      Printed("\n%s keys, sized for %.2f %%, fp16 for %.3f %%, dense for %.2f %%; ns per key",
              CountName(outcome.request.num_keys).c_str(), 100 * outcome.request.target_fpr,
              100 * outcome.request.target_fpr16, 100 * outcome.request.target_fpr_of_dense);
  std::printf("%s\n%s", FormatTrial(title, kEncodingColumns, kEncodingRatios, outcome.rows).c_str(),
              FormatMemory(outcome).c_str());
  for (const TargetVerdict& verdict : Judge(outcome)) {
    std::printf("target  %-75s  %s\n", verdict.text.c_str(), verdict.is_met ? "met" : "NOT MET");
  }
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> keys = {1'000'000, 30'000'000};
  std::vector<double> rates = {0.004, 0.0061};
  constexpr uint32_t kSlices[] = {4, 5, 8, 10};
  size_t slices_idx = 1;
  uint64_t rounds = 9;
  const auto read_rates = [&rates](std::string_view value) {
    const auto read = ParseRates(std::string(value));
    if (read) rates = *read;
    return read.has_value();
  };
  if (!ReadArguments(argc, argv,
                     {CountsArgument("--keys", keys, kMinKeys),
                      {"--fpr", read_rates},
                      WordArgument("--slices", {"4", "5", "8", "10"}, slices_idx),
                      CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  const uint32_t slices = kSlices[slices_idx];
  std::fputs(TrialHeading(Printed(", runs of %u slices", slices), rounds).c_str(), stdout);
  for (const double rate : rates) {
    for (const uint64_t num_keys : keys) {
      const EncodingOutcome outcome = RunEncodingTrial(
          {.num_keys = num_keys, .target_fpr = rate, .run_slices = slices, .rounds = rounds});
      DemandNone(outcome.wrong);
      Print(outcome);
    }
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
