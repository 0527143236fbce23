// Queries about any of a tuple's attributes, in one run: the published matrices in the same memory,
// literal and on our kernels, beside AttributeFilter, and whether they meet their targets. How to
// read it: README.md.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "bench/trials/attribute_trial.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMinTuples = 10'000;
constexpr uint64_t kMostThreads = 1024;

constexpr char kUsage[] =
    "usage: attributes_bench [--tuples=10M] [--questions=200k] [--rounds=9] [--threads=2]\n"
    "  --tuples     in all sides, in turn (at least 10k); memory is 16 MB for 10M\n"
    "  --questions  queries per batch; ten times as many for several threads\n"
    "  --rounds     paired measurements of each figure, after one that does not count\n"
    "  --threads    of the second side of the last table\n";

void PrintOutcome(const AttributeTrialOutcome& outcome) {
  const std::vector<std::string> names = AttributeSideNames();
  std::printf("MB:");
  for (size_t side = 0; side < names.size(); ++side) {
    std::printf("  %s %.2f", names[side].c_str(),
                static_cast<double>(outcome.bytes[side]) / 1048576);
  }
  std::printf(
      "\n\n%s\n%s\n%s\n%s\n%s\n%s",
      FormatTrial("Index computation, ns per query", kIndexSides, kIndexRatios, outcome.indices)
          .c_str(),
      FormatTrial("Queries, ns per query", names, kAttributeRatios, outcome.queries).c_str(),
      FormatTrial("A call for each query, ns per query", kSingleSides, kSingleRatios,
                  outcome.singles)
          .c_str(),
      FormatTrial("Updates of an AttributeFilter, ns per tuple", {"insert", "erase"},
                  {{"erase / insert", 1, 0}}, outcome.updates)
          .c_str(),
      FormatTrial("One thread or several, wall ns per query", {"one", "several"},
                  {{"one / several", 0, 1}}, outcome.threads)
          .c_str(),
      JudgeAttributes(outcome).c_str());
}

int Main(int argc, char** argv) {
  std::vector<uint64_t> tuples = {10'000'000};
  uint64_t num_queries = 200'000;
  uint64_t num_threads = 2;
  AttributeTrialRequest request = {.rounds = 9};
  if (!ReadArguments(
          argc, argv,
          {CountsArgument("--tuples", tuples, kMinTuples),
           CountArgument("--questions", num_queries), CountArgument("--rounds", request.rounds),
           CountArgument("--threads", num_threads, kMostThreads)},
          kUsage)) {
    return 2;
  }
  request.num_queries = static_cast<size_t>(num_queries);
  request.num_threads = static_cast<uint32_t>(num_threads);
  std::printf(
      "Target %s, k = 6, three attributes. Medians of %d paired rounds; ratios are taken in each "
      "round: median [min..max].\n",
      std::string(ActiveTarget()).c_str(), static_cast<int>(request.rounds));
  for (const uint64_t num_tuples : tuples) {
    request.num_tuples = num_tuples;
    const AttributeTrialOutcome outcome = RunAttributeTrial(request);
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
