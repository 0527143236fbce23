#include "bench/encoding_trial.h"

#include <cmath>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("the encoding trial measures every side, and proves that all are emptied again",
          "[bench][encoding]") {
  const uint32_t run_slices = GENERATE(4U, 5U, 8U, 10U);
  const EncodingOutcome outcome = RunEncodingTrial({.num_keys = 20'000,
                                                    .target_fpr = 0.02,
                                                    .run_slices = run_slices,
                                                    .rounds = 2,
                                                    .num_strangers = 10'000,
                                                    .seconds_per_ceiling = 1e-4});
  REQUIRE(outcome.wrong == "");
  REQUIRE(outcome.rows.size() == kEraseSplitRow + 1);
  for (const TrialRow& row : outcome.rows) {
    INFO(row.label);
    REQUIRE(row.sides.size() == kEncodingColumns.size());
    for (const EncodingColumn column : {kPlanesColumn, kRunsColumn}) {
      CHECK(row.sides[column].size() == 2);
      CHECK(Median(row.sides[column]) > 0);
    }
  }
  CHECK(outcome.rows[kEraseDirectRow].sides[kTextbookColumn].size() == 2);
  CHECK(outcome.rows[kEraseDirectRow].sides[kSplitBlockColumn].empty());
  CHECK(outcome.rows[kInsertSplitRow].sides[kCeilingColumn].empty());
  CHECK(outcome.rows[kQueryMissRow].sides[kCeilingColumn].size() == 2);
}

TEST_CASE("memory is told with the side table, and in half of the planes' for runs",
          "[bench][encoding]") {
  const EncodingOutcome outcome = RunEncodingTrial({.num_keys = 50'000,
                                                    .target_fpr = 0.004,
                                                    .rounds = 1,
                                                    .num_strangers = 100'000,
                                                    .seconds_per_ceiling = 1e-4});
  REQUIRE(outcome.wrong == "");
  REQUIRE(outcome.memory.size() == 4);
  for (const EncodingMemory& memory : outcome.memory) {
    INFO(memory.side);
    CHECK(memory.fresh_bits_per_key == Approx(memory.predicted_bits_per_key).epsilon(0.05));
    CHECK(memory.bits_per_key >= memory.fresh_bits_per_key);
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
