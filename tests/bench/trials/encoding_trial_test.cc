// The trial of encodings at a small size. Programs are run as tests of their own: each proves its
// answers.
#include "bench/trials/encoding_trial.h"

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

}  // namespace

}  // namespace trommel::bench
