// The structures of the paper on cut Bloom filter matrices, the model of their answers, and files
// of triples.
#include <cmath>
#include <fstream>

#include "bench/paper/cbfm/cbfm.h"
#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::paper {
namespace {

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

}  // namespace

}  // namespace trommel::paper
