#include "bench/thread_trial.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("the thread trial measures both sides of every row", "[bench][trial]") {
  for (const TrialRow& row : RunThreadTrial(100'000, 2, 1)) {
    INFO(row.label);
    REQUIRE(row.sides.size() == kThreadSides.size());
    for (const Figures& figures : row.sides) {
      REQUIRE(figures.size() == 1);
      CHECK(figures[0] > 0);
    }
  }
}

}  // namespace
}  // namespace trommel::bench
