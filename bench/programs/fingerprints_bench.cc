// Fingerprint blocks beside their models: rates, promoted blocks and undecided queries by load, and
// rates after doublings. Nothing is timed. How to read it: engine/docs/FINGERPRINTS.md.
#include <cstdio>
#include <string>

#include "bench/text/arguments.h"
#include "bench/trials/fingerprint_trial.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMostDoublings = 8;

constexpr char kUsage[] =
    "usage: fingerprints_bench [--keys=1M] [--queries=20M] [--doublings=6]\n"
    "  --keys       the capacity of filters that are filled up to 1.9 times\n"
    "  --queries    non-members per rate\n"
    "  --doublings  of filters that grow from 176,128 keys, at most 8\n";

bool Print(const std::string& wrong, const std::string& text) {
  if (!wrong.empty()) {
    std::fprintf(stderr, "fingerprints_bench: %s\n", wrong.c_str());
    return false;
  }
  std::printf("\n%s", text.c_str());
  std::fflush(stdout);
  return true;
}

int Main(int argc, char** argv) {
  uint64_t num_keys = 1'000'000;
  uint64_t num_queries = 20'000'000;
  uint64_t num_doublings = 6;
  if (!ReadArguments(argc, argv,
                     {CountArgument("--keys", num_keys), CountArgument("--queries", num_queries),
                      CountArgument("--doublings", num_doublings, kMostDoublings)},
                     kUsage)) {
    return 2;
  }
  std::printf("Capacity %s keys, %s non-members; all shares in percent.\n",
              CountName(num_keys).c_str(), CountName(num_queries).c_str());
  for (const Encoding encoding : {Encoding::kFingerprints16, Encoding::kDense}) {
    const LoadOutcome outcome = RunLoadTrial(encoding, num_keys, num_queries);
    if (!Print(outcome.wrong, FormatLoads(outcome))) return 1;
  }
  const DoublingOutcome outcome =
      RunDoublingTrial(static_cast<uint32_t>(num_doublings), num_queries);
  return Print(outcome.wrong, FormatDoublings(outcome)) ? 0 : 1;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
