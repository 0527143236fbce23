// The trials that compare fingerprint blocks with their models.
#include "bench/trials/fingerprint_trial.h"

#include <cmath>
#include <string>

#include "bench/sides/fpr_bounds.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

TEST_CASE("filters of fingerprints that are filled past their capacity are compared with the model",
          "[bench][fingerprints]") {
  const Encoding encoding = GENERATE(Encoding::kFingerprints16, Encoding::kDense);
  const LoadOutcome outcome = RunLoadTrial(encoding, 60'000, 300'000);
  REQUIRE(outcome.wrong.empty());
  REQUIRE(outcome.rows.size() == 6);
  const LoadRow& at_capacity = outcome.rows[1];
  CHECK(at_capacity.times == 1);
  const double most_promoted = MaxPromotedShare(encoding);
  CHECK(at_capacity.promoted.predicted > 0.8 * most_promoted);
  CHECK(at_capacity.promoted.predicted <= most_promoted);
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    const LoadRow& row = outcome.rows[i];
    INFO(row.times);
    const double share = row.promoted.predicted;
    const double sigma =
        std::sqrt(share * (1 - share) / static_cast<double>(outcome.geometry.num_blocks));
    CHECK(std::abs(row.promoted.measured - share) <= kMaxSigmas * sigma);
    CHECK(row.undecided.measured == Approx(row.undecided.predicted).epsilon(0.3).margin(0.01));
    if (i > 0) CHECK(row.keys_per_block > outcome.rows[i - 1].keys_per_block);
  }
  CHECK(outcome.rows[0].undecided.measured == 0);
  CHECK_THAT(FormatLoads(outcome), StartsWith(std::string(EncodingName(encoding))));
}

TEST_CASE("rates after doublings are those of the models, of both filters that double",
          "[bench][fingerprints]") {
  const DoublingOutcome outcome = RunDoublingTrial(2, 2'000'000);
  REQUIRE(outcome.wrong.empty());
  REQUIRE(outcome.rows.size() == 3);
  for (const DoublingRow& row : outcome.rows) {
    INFO(row.num_doublings);
    CHECK(row.fingerprint_bits == 16 - row.num_doublings);
    CHECK(row.counting.measured == Approx(row.counting.predicted).epsilon(0.15));
    CHECK(row.scalable.measured == Approx(row.scalable.predicted).epsilon(0.15));
    CHECK(row.scalable.predicted < 0.01);
  }
  CHECK_THAT(FormatDoublings(outcome), ContainsSubstring("704512"));
}

}  // namespace
}  // namespace trommel::bench
