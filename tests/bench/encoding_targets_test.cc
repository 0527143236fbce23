#include "bench/encoding_targets.h"

#include <algorithm>

#include "support/catch.h"

namespace trommel::bench {
namespace {

// All ratios of runs to planes are `ratio`.
EncodingOutcome Outcome(uint64_t num_keys, double ratio) {
  EncodingOutcome outcome;
  outcome.request.num_keys = num_keys;
  outcome.request.target_fpr = 0.004;
  outcome.memory.resize(kSplitBlockColumn + 1);
  outcome.memory[kRunsColumn].bits_per_key = 22.5;
  outcome.memory[kRunsColumn].measured_fpr = 0.00401;
  outcome.memory[kRunsColumn].fpr_sigma = 0.00001;
  for (const char* label : {"insert", "erase", "hit", "miss", "insert", "erase"}) {
    outcome.rows.push_back(
        {label, {{10, 10, 10}, {10 * ratio, 10 * ratio, 10 * ratio}, {}, {}, {}}});
  }
  return outcome;
}

size_t NumMet(const EncodingOutcome& outcome) {
  const auto verdicts = JudgeRuns(outcome);
  return static_cast<size_t>(std::ranges::count(verdicts, true, &TargetVerdict::is_met));
}

TEST_CASE("updates may take as long as with planes in memory, 2.5 times in cache",
          "[bench][encoding]") {
  CHECK(JudgeRuns(Outcome(30'000'000, 1)).size() == 5);
  CHECK(NumMet(Outcome(30'000'000, 1)) == 5);
  CHECK(NumMet(Outcome(30'000'000, 1.1)) == 3);  // memory and both queries
  CHECK(NumMet(Outcome(1'000'000, 1.1)) == 5);
  CHECK(NumMet(Outcome(1'000'000, 2.4)) == 3);  // memory and both updates
  CHECK(NumMet(Outcome(1'000'000, 2.6)) == 1);
  CHECK(JudgeRuns(Outcome(5'000'000, 1)).size() == 3);  // neither: updates have no target
}

TEST_CASE("memory has a target at two rates, and chance is no reason to miss it",
          "[bench][encoding]") {
  EncodingOutcome outcome = Outcome(30'000'000, 1);
  outcome.memory[kRunsColumn].bits_per_key = 22.6;
  CHECK(NumMet(outcome) == 4);
  outcome = Outcome(30'000'000, 1);
  outcome.memory[kRunsColumn].measured_fpr = 0.00404;
  CHECK(NumMet(outcome) == 4);
  outcome.request.target_fpr = 0.0061;
  CHECK(NumMet(outcome) == 4);  // 22.5 bits are too many there
  outcome.memory[kRunsColumn].bits_per_key = 20;
  CHECK(NumMet(outcome) == 5);
  outcome.request.target_fpr = 0.01;
  CHECK(JudgeRuns(outcome).size() == 4);
  outcome.request.run_slices = 10;
  CHECK(JudgeRuns(outcome).empty());
}

}  // namespace
}  // namespace trommel::bench
