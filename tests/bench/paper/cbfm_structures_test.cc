// The structures of the paper on cut Bloom filter matrices, the model of their answers, and files
// of triples.
#include <cmath>
#include <fstream>

#include "bench/paper/cbfm/cbfm.h"
#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::paper {
namespace {

TEST_CASE("queries are split into the parts that each structure defines", "[paper][cbfm]") {
  const std::vector<NamedRequest> requests = PublishedRequests(1 << 16);
  REQUIRE(requests.size() == 7);
  const auto parts = [&](size_t side, AttributeMask queried) {
    return MakeMatrix(requests[side].name, requests[side].request).PartsOf(queried);
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

TEST_CASE("a filter with the target of a rate has about that rate", "[paper][cbfm]") {
  const Structure filter = MakeAttributeFilter("", TwoCuts(), 20'000, TargetForRate(0.002));
  bench::TupleWorkload(3, 20'000, 1).InsertInto(*filter.index);
  const double rate = ModelledRate(filter, kKeptPair, 0, 20'000);
  CHECK(rate <= 0.002);
  CHECK(rate > 0.001);
  CHECK(TargetForRate(1) == kMaxTargetFpr);
}

TEST_CASE("measured rates are the model's, whatever non-members share with what is in",
          "[paper][cbfm]") {
  constexpr uint64_t kTuples = 3000;
  constexpr size_t kNonMembers = 20'000;
  const bench::TupleWorkload workload(3, kTuples, Catch::rngSeed());
  for (const NamedRequest& named : PublishedRequests(20 * kTuples)) {
    const Structure built = MakeMatrix(named.name, named.request);
    workload.InsertInto(*built.index);
    for (const AttributeMask queried : {kWhole, kKeptPair, kCutPair}) {
      if (!built.index->CanAnswer(queried)) continue;
      for (const double alpha : {0.0, 0.5, 1.0}) {
        const auto non_members = workload.NonMembers(queried, alpha, kNonMembers, queried);
        const auto parts = built.PartsOf(queried);
        const auto answers = bench::QueryNonMembers(*built.index, workload, non_members, parts);
        const Range allowed = ModelledRange(built, queried, alpha, kTuples, kNonMembers);
        INFO(named.name << ", " << queried << ", alpha " << alpha << ": "
                        << ModelledRate(built, queried, alpha, kTuples) << ", measured "
                        << answers.rate());
        CHECK(allowed.Contains(answers.rate()));
      }
    }
  }
}

TEST_CASE("the published setting gives the printed rate with both cuts and 10 M tuples",
          "[paper][cbfm]") {
  const auto rate = [](size_t side, AttributeMask queried, uint64_t num_tuples) {
    const NamedRequest named = PublishedRequests(kCbfmCells)[side];
    const Structure built{named.name, named.request.sets,
                          matrix::GeometryFor(named.request).value(), nullptr};
    return ModelledRate(built, queried, 1, num_tuples);
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

using Catch::Matchers::ContainsSubstring;

Result<TripleLog> ReadText(const std::string& text) {
  const tests::ScratchFolder folder;
  const std::string path = (folder / "triples.tsv").string();
  std::ofstream(path) << text;
  return ReadTriples(path);
}

TEST_CASE("triples are read by the names of their columns", "[paper][cbfm]") {
  const auto log = ReadText(
      "ts\tdomain\tsrc_ip\tdst_ip\n"
      "1\ta.org\t10.0.0.1\t10.0.0.9\n"
      "2\tb.org\t10.0.0.1\t10.0.0.8\n"
      "3\ta.org\t10.0.0.1\t10.0.0.9\n");
  REQUIRE(log.ok());
  CHECK(log.value().triples == std::vector<Triple>{{0, 0, 0}, {0, 1, 1}, {0, 0, 0}});
  CHECK(log.value().values[2] == std::vector<std::string>{"a.org", "b.org"});
  const TupleDigests digests = log.value().Digests({{0, 1, 0}, {0, 0, 0}});
  REQUIRE(digests.view().size == 2);
  CHECK(digests.view().columns[0][0] == digests.view().columns[0][1]);
  CHECK(digests.view().columns[1][0] != digests.view().columns[1][1]);
}

TEST_CASE("a file of triples without a column is refused with the number of its line",
          "[paper][cbfm]") {
  CHECK_THAT(ReadText("src_ip\tdst_ip\n").error().message, ContainsSubstring("no column 'domain'"));
  CHECK_THAT(ReadText("src_ip\tdst_ip\tdomain\na\tb\tc\na\tb\n").error().message,
             ContainsSubstring(":3: "));
  CHECK(ReadTriples("/nonexistent/triples.tsv").error().code == ErrorCode::kIo);
}

TEST_CASE("new projections are those that were not known, each once", "[paper][cbfm]") {
  const std::vector<Triple> known = {{0, 0, 0}, {1, 1, 1}};
  const std::vector<Triple> later = {{0, 5, 0}, {0, 0, 1}, {0, 7, 1}, {1, 1, 1}, {0, 0, 1}};
  CHECK(NewTriples(0b111, later, known).size() == 3);
  CHECK(NewTriples(0b101, later, known).size() == 1);  // {0, ., 1}
  CHECK(NewTriples(0b001, later, known).empty());
  const TripleSet pairs(0b101, known);
  CHECK(pairs.size() == 2);
  CHECK(pairs.Has({0, 9, 0}));
  CHECK_FALSE(pairs.Has({0, 0, 1}));
}

}  // namespace

}  // namespace trommel::paper
