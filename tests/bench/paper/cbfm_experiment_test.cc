// Figure 7, as measured.
#include "bench/paper/cbfm_experiment.h"

#include "bench/paper/quick_experiment.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("a pair that no cut holds is far better off in a cut matrix than in a whole one",
          "[paper][cbfm]") {
  const CbfmExperiment& experiment = QuickExperiment();
  CHECK(experiment.sides().size() == 8);
  const auto rate = [&](const char* name, size_t asked_idx, size_t step) {
    return experiment.At(experiment.SideNamed(name), asked_idx, step).answers.rate();
  };
  for (size_t step = 0; step <= kAlphaSteps; ++step) {
    CHECK(rate("CBFM, two cuts", 1, step) < 0.02 * rate("BFM", 1, step));
    CHECK(rate("CBFM, two cuts", 2, step) > 0.99);  // a pair that is cut
    CHECK(experiment.At(experiment.SideNamed("SBF"), 1, step).answers.num_asked == 0);
  }
}

TEST_CASE("attributes apart believe any combination of values that are in", "[paper][cbfm]") {
  const CbfmExperiment& experiment = QuickExperiment();
  const size_t mdbf = experiment.SideNamed("MDBF");
  const bench::StrangerAnswers all = experiment.At(mdbf, 0, kAlphaSteps).answers;
  CHECK(all.num_maybe == all.num_asked);
  CHECK(all.num_combination == all.num_asked);
  const bench::StrangerAnswers none = experiment.At(mdbf, 0, 0).answers;
  CHECK(none.num_combination == 0);
  CHECK(none.rate() < 0.02);
}

}  // namespace
}  // namespace trommel::paper
