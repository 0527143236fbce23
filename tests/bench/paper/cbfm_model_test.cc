// The model of what structures answer to strangers, against what they answer.
#include <cmath>

#include "bench/paper/cbfm_structures.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("measured rates are the model's, whatever strangers share with what is in",
          "[paper][cbfm]") {
  constexpr uint64_t kTuples = 3000;
  constexpr size_t kStrangers = 20'000;
  const bench::TupleWorkload workload(3, kTuples, Catch::rngSeed());
  for (const NamedRequest& named : PublishedRequests(20 * kTuples)) {
    const Structure built = MakeMatrix(named.name, named.request);
    workload.InsertInto(*built.index);
    for (const AttributeMask asked : {kWhole, kKeptPair, kCutPair}) {
      if (!built.index->CanAnswer(asked)) continue;
      for (const double alpha : {0.0, 0.5, 1.0}) {
        const auto strangers = workload.Strangers(asked, alpha, kStrangers, asked);
        const auto parts = built.PartsOf(asked);
        const auto answers = bench::AskStrangers(*built.index, workload, strangers, parts);
        const Range allowed = ModelledRange(built, asked, alpha, kTuples, kStrangers);
        INFO(named.name << ", " << asked << ", alpha " << alpha << ": "
                        << ModelledRate(built, asked, alpha, kTuples) << ", measured "
                        << answers.rate());
        CHECK(allowed.Contains(answers.rate()));
      }
    }
  }
}

TEST_CASE("the published setting gives the printed rate with both cuts and 10 M tuples",
          "[paper][cbfm]") {
  const auto rate = [](size_t side, AttributeMask asked, uint64_t num_tuples) {
    const NamedRequest named = PublishedRequests(kCbfmCells)[side];
    const Structure built{named.name, named.request.sets,
                          matrix::GeometryFor(named.request).value(), nullptr};
    return ModelledRate(built, asked, 1, num_tuples);
  };
  CHECK(rate(6, kKeptPair, kCbfmTuples) == Catch::Approx(0.0022).epsilon(0.03));
  CHECK(rate(5, kKeptPair, kCbfmTuples / 2) == Catch::Approx(0.0022).epsilon(0.03));
  CHECK(rate(5, kKeptPair, kCbfmTuples) > 0.04);
  CHECK(rate(3, kKeptPair, kCbfmTuples) == Catch::Approx(1));  // BFM
  CHECK(rate(4, kKeptPair, kCbfmTuples) == Catch::Approx(1));  // Cartesian join
  CHECK(rate(1, kWhole, kCbfmTuples) == Catch::Approx(1));     // MDBF
  CHECK(rate(6, kCutPair, kCbfmTuples) == Catch::Approx(1));   // a cut pair
  CHECK(rate(3, kWhole, kCbfmTuples) < 0.003);
}

}  // namespace
}  // namespace trommel::paper
