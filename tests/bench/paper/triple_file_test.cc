#include "bench/paper/triple_file.h"

#include <fstream>

#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::paper {
namespace {

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

TEST_CASE("a file of triples that lacks a column is refused by its line", "[paper][cbfm]") {
  CHECK_THAT(ReadText("src_ip\tdst_ip\n").error().message, ContainsSubstring(":1: no column dom"));
  CHECK_THAT(ReadText("src_ip\tdst_ip\tdomain\na\tb\tc\na\tb\n").error().message,
             ContainsSubstring(":3: too few columns"));
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
