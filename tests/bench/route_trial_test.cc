#include "bench/route_trial.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("the route trial measures every side, the textbook only when asked", "[bench][trial]") {
  const bool with_textbook = GENERATE(false, true);
  const Encoding encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  const auto rows = RunRouteTrial(20'000, {0.5, 1}, 2, with_textbook, encoding);
  REQUIRE(rows.size() == 4);  // insert and erase of two batches
  for (const TrialRow& row : rows) {
    REQUIRE(row.sides.size() == kRouteSides.size());
    for (size_t side = 0; side < 3; ++side) CHECK(row.sides[side].size() == 2);
    CHECK(row.sides[3].size() == (with_textbook ? 2 : 0));
    CHECK(Median(row.sides[0]) > 0);
  }
}

}  // namespace
}  // namespace trommel::bench
