#include "bench/shared_trial.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("the sharing trials measure both sides of every row", "[bench][trial]") {
  const auto check = [](const std::vector<TrialRow>& rows, size_t num_rows) {
    REQUIRE(rows.size() == num_rows);
    for (const TrialRow& row : rows) {
      INFO(row.label);
      REQUIRE(row.sides.size() == 2);
      for (const Figures& figures : row.sides) CHECK(figures.size() == 1);
    }
  };
  check(RunSharedTrial(50'000, {64, 4096}, 1), 8);
  check(RunReaderTrial(100'000, 1), 1);
}

}  // namespace
}  // namespace trommel::bench
