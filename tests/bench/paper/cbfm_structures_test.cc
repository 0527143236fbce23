#include "bench/paper/cbfm_structures.h"

#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("questions fall into the parts that each structure defines", "[paper][cbfm]") {
  const std::vector<NamedRequest> requests = PublishedRequests(1 << 16);
  REQUIRE(requests.size() == 7);
  const auto parts = [&](size_t side, AttributeMask asked) {
    return MakeMatrix(requests[side].name, requests[side].request).PartsOf(asked);
  };
  using Masks = std::vector<AttributeMask>;
  CHECK(parts(0, kWhole) == Masks{kWhole});           // SBF
  CHECK(parts(1, kWhole) == Masks{1, 2, 4});          // MDBF
  CHECK(parts(2, kWhole) == Masks{1, 2, 4, kWhole});  // CMDBF
  CHECK(parts(2, kKeptPair) == Masks{2, 4});
  CHECK(parts(3, kCutPair) == Masks{kCutPair});             // BFM
  CHECK(parts(5, kWhole) == Masks{kSecondCut, kKeptPair});  // CBFM, one cut
  CHECK(parts(6, kWhole) == Masks{kKeptPair, 1});           // both
  CHECK(parts(6, kSecondCut) == Masks{1, 4});
  CHECK(MakeAttributeFilter("", TwoCuts(), 1000, 0.1).PartsOf(kWhole) == Masks{kKeptPair, 1});
}

TEST_CASE("a filter asked for the target of a rate has about that rate", "[paper][cbfm]") {
  const Structure filter = MakeAttributeFilter("", TwoCuts(), 20'000, TargetForRate(0.002));
  bench::TupleWorkload(3, 20'000, 1).InsertInto(*filter.index);
  const double rate = ModelledRate(filter, kKeptPair, 0, 20'000);
  CHECK(rate <= 0.002);
  CHECK(rate > 0.001);
  CHECK(TargetForRate(1) == kMaxTargetFpr);
}

}  // namespace
}  // namespace trommel::paper
