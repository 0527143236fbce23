// Questions about any of a tuple's attributes, in one run: the published matrices in the same
// memory, literal and on our kernels, beside AttributeFilter, and whether they reach what was asked
// of them. How to read it: README.md.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/attribute_trial.h"
#include "bench/workload.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMinTuples = 10'000;

constexpr char kUsage[] =
    "usage: attributes_bench [--tuples=10M] [--questions=200k] [--rounds=9] [--threads=2]\n"
    "  --tuples     in all sides, in turn (at least 10k); memory is 16 MB for 10M\n"
    "  --questions  of a batch; ten times as many for several threads\n"
    "  --rounds     paired measurements of each figure, after one that does not count\n"
    "  --threads    of the second side of the last table\n";

struct Options {
  std::vector<uint64_t> tuples = {10'000'000};
  AttributeTrialRequest request = {
      .num_tuples = 0, .num_questions = 200'000, .rounds = 9, .num_threads = 2, .seed = 1};
};

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string_view value =
        argument.substr(std::min(argument.find('=') + 1, argument.size()));
    const std::optional<uint64_t> count = ParseCount(value);
    if (argument.starts_with("--tuples=") && ParseCounts(value, kMinTuples)) {
      options.tuples = *ParseCounts(value, kMinTuples);
    } else if (argument.starts_with("--questions=") && count) {
      options.request.num_questions = static_cast<size_t>(*count);
    } else if (argument.starts_with("--rounds=") && count) {
      options.request.rounds = *count;
    } else if (argument.starts_with("--threads=") && count && *count <= 1024) {
      options.request.num_threads = static_cast<uint32_t>(*count);
    } else {
      return std::nullopt;
    }
  }
  return options;
}

void PrintOutcome(const AttributeTrialOutcome& outcome) {
  const std::vector<std::string> names = AttributeSideNames();
  std::printf("MB:");
  for (size_t side = 0; side < names.size(); ++side) {
    std::printf("  %s %.2f", names[side].c_str(),
                static_cast<double>(outcome.bytes[side]) / 1048576);
  }
  std::printf(
      "\n\n%s\n%s\n%s\n%s",
      FormatTrial("Index computation, ns a question", kIndexSides, kIndexRatios, outcome.indices)
          .c_str(),
      FormatTrial("Questions, ns a question", names, kAttributeRatios, outcome.queries).c_str(),
      FormatTrial("One thread or several, wall ns a question", {"one", "several"},
                  {{"one / several", 0, 1}}, outcome.threads)
          .c_str(),
      JudgeAttributes(outcome).c_str());
}

int Main(int argc, char** argv) {
  std::optional<Options> options = ParseOptions(argc, argv);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::printf(
      "Target %s, k = 6, three attributes. Medians of %d paired rounds; ratios are taken in each "
      "round: median [min..max].\n",
      std::string(ActiveTarget()).c_str(), static_cast<int>(options->request.rounds));
  for (const uint64_t num_tuples : options->tuples) {
    options->request.num_tuples = num_tuples;
    const AttributeTrialOutcome outcome = RunAttributeTrial(options->request);
    if (!outcome.wrong.empty()) {
      std::fprintf(stderr, "attributes_bench: %s\n", outcome.wrong.c_str());
      return 1;
    }
    std::printf("\n%s tuples. ", CountName(num_tuples).c_str());
    PrintOutcome(outcome);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
