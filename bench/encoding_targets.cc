#include "bench/encoding_targets.h"

#include <cstdio>
#include <utility>

namespace trommel::bench {
namespace {

constexpr uint64_t kLeastInMemory = 10'000'000;
constexpr uint64_t kMostInCache = 1'000'000;
constexpr double kSigmas = 3;

// Bits a key allowed at a rate.
constexpr std::pair<double, double> kMemoryTargets[] = {{0.004, 22.5}, {0.0061, 20}};

TargetVerdict JudgeSpeed(const TrialRow& row, double limit) {
  const double ratio = PairedRatio(row.sides[kRunsColumn], row.sides[kPlanesColumn]).median;
  char text[128];
  std::snprintf(text, sizeof(text), "%-15s runs / planes %.2f, at most %.1f", row.label.c_str(),
                ratio, limit);
  return {text, ratio <= limit};
}

}  // namespace

std::vector<TargetVerdict> JudgeRuns(const EncodingOutcome& outcome) {
  std::vector<TargetVerdict> verdicts;
  if (outcome.request.run_slices != 5) return verdicts;
  const EncodingMemory& runs = outcome.memory.at(kRunsColumn);
  for (const auto& [target_fpr, limit] : kMemoryTargets) {
    if (outcome.request.target_fpr != target_fpr) continue;
    char text[160];
    std::snprintf(text, sizeof(text),
                  "memory          %.2f bits a key, at most %.1f, at %.4f %%, at most %.2f %%",
                  runs.bits_per_key, limit, 100 * runs.measured_fpr, 100 * target_fpr);
    verdicts.push_back({text, runs.bits_per_key <= limit &&
                                  runs.measured_fpr - kSigmas * runs.fpr_sigma <= target_fpr});
  }
  const uint64_t num_keys = outcome.request.num_keys;
  if (num_keys >= kLeastInMemory || num_keys <= kMostInCache) {
    const double limit = num_keys >= kLeastInMemory ? 1.0 : 2.5;
    verdicts.push_back(JudgeSpeed(outcome.rows.at(kInsertDirectRow), limit));
    verdicts.push_back(JudgeSpeed(outcome.rows.at(kEraseDirectRow), limit));
  }
  verdicts.push_back(JudgeSpeed(outcome.rows.at(kQueryHitRow), 1.2));
  verdicts.push_back(JudgeSpeed(outcome.rows.at(kQueryMissRow), 1.2));
  return verdicts;
}

}  // namespace trommel::bench
