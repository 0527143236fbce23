// The trial of encodings at a small size, and how its targets are judged. Programs are run as tests
// of their own: each proves its answers.
#include "bench/trials/encoding_trial.h"

#include <algorithm>
#include <cmath>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("memory includes the side table, and runs take less than half of the memory of planes",
          "[bench][encoding]") {
  const EncodingOutcome outcome = RunEncodingTrial({.num_keys = 50'000,
                                                    .target_fpr = 0.004,
                                                    .rounds = 1,
                                                    .num_non_members = 100'000,
                                                    .seconds_per_ceiling = 1e-4});
  REQUIRE(outcome.wrong == "");
  REQUIRE(outcome.memory.size() == kCeilingColumn);
  for (const EncodingMemory& memory : outcome.memory) {
    INFO(memory.side);
    CHECK(memory.fresh_bits_per_key == Catch::Approx(memory.predicted_bits_per_key).epsilon(0.05));
    // Blocks of fingerprints are made of their keys alone, but the spare room of side lists is made
    // of how they came: it may also be less.
    const bool has_fingerprints =
        &memory == &outcome.memory[kWideColumn] || &memory == &outcome.memory[kDenseColumn];
    const double least = has_fingerprints ? 0.95 : 1;
    CHECK(memory.bits_per_key >= least * memory.fresh_bits_per_key);
    CHECK(std::abs(memory.measured_fpr - memory.predicted_fpr) < 6 * memory.fpr_sigma);
    CHECK(memory.predicted_fpr <= 0.004);
  }
  const EncodingMemory& runs = outcome.memory[kRunsColumn];
  CHECK(runs.side_table_bytes > 0);
  CHECK(runs.fresh_promoted_share > 0);
  CHECK(runs.fresh_promoted_share < 2 * runs.predicted_promoted_share);
  CHECK(runs.promoted_share > runs.fresh_promoted_share);
  CHECK(runs.bits_per_key < 0.5 * outcome.memory[kPlanesColumn].bits_per_key);
  const std::string table = FormatMemory(outcome);
  CHECK(table.find("split-block") != std::string::npos);
  CHECK(table.find("nan") == std::string::npos);
}

// All ratios of runs to planes are `ratio`.
EncodingOutcome Outcome(uint64_t num_keys, double ratio) {
  EncodingOutcome outcome;
  outcome.request.num_keys = num_keys;
  outcome.request.target_fpr = 0.004;
  outcome.memory.resize(kSplitBlockColumn + 1);
  outcome.memory[kRunsColumn].bits_per_key = 22.5;
  outcome.memory[kRunsColumn].measured_fpr = 0.00401;
  outcome.memory[kRunsColumn].fpr_sigma = 0.00001;
  // No figures of other columns: their ratios are NaN, and their targets not met.
  for (int row = kInsertRow; row <= kMissChurnedRow; ++row) {
    outcome.rows.push_back(
        {"row", {{10, 10, 10}, {10 * ratio, 10 * ratio, 10 * ratio}, {}, {}, {}, {}, {}}});
  }
  return outcome;
}

// The verdicts on runs: their memory, and their speed beside planes.
std::vector<TargetVerdict> JudgeRuns(const EncodingOutcome& outcome) {
  std::vector<TargetVerdict> verdicts = Judge(outcome);
  std::erase_if(verdicts, [](const TargetVerdict& verdict) {
    return verdict.text.find("runs / planes") == std::string::npos &&
           !verdict.text.starts_with("runs:");
  });
  return verdicts;
}

size_t NumMet(const EncodingOutcome& outcome) {
  const auto verdicts = JudgeRuns(outcome);
  return static_cast<size_t>(std::ranges::count(verdicts, true, &TargetVerdict::is_met));
}

TEST_CASE("memory has a target at two rates, and a deviation by chance does not miss it",
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
