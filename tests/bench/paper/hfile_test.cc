// The course text's two examples of store files.
#include "bench/paper/hfile.h"

#include "support/catch.h"

namespace trommel::paper {
namespace {

using namespace std::string_literals;

const std::vector<Cell> kFirst = {{"r1", "q1"}, {"r2", "q1"}};

TEST_CASE("with ROW filters a get of a row skips the file that lacks it", "[paper][hfile]") {
  const HFile hf1(kFirst, BloomType::kRow);
  const HFile hf2({{"r3", "q1"}, {"r4", "q1"}}, BloomType::kRow);
  CHECK(hf1.MayHold("r1"));
  CHECK_FALSE(hf2.MayHold("r1"));
  CHECK_FALSE(hf1.MayHold("r3"));
  CHECK(hf2.MayHold("r3"));
  CHECK(hf1.MayHold("r2"));
  CHECK(hf2.MayHold("r4"));
}

TEST_CASE("with ROW filters a get of a column reads every file that has the row",
          "[paper][hfile]") {
  const HFile hf1(kFirst, BloomType::kRow);
  const HFile hf2({{"r1", "q2"}, {"r2", "q2"}}, BloomType::kRow);
  for (const char* column : {"q1", "q2"}) {
    CHECK(hf1.MayHold("r1", column));
    CHECK(hf2.MayHold("r1", column));
  }
  CHECK_FALSE(hf1.MayHold("r9", "q1"));
}

TEST_CASE("with ROWCOL filters a get of a column skips the file that lacks it", "[paper][hfile]") {
  const HFile hf1(kFirst, BloomType::kRowCol);
  const HFile hf2({{"r1", "q2"}, {"r2", "q2"}}, BloomType::kRowCol);
  CHECK(hf1.MayHold("r1", "q1"));
  CHECK_FALSE(hf2.MayHold("r1", "q1"));
  CHECK_FALSE(hf1.MayHold("r1", "q2"));
  CHECK(hf2.MayHold("r1", "q2"));
}

TEST_CASE("with ROWCOL filters a get of a whole row reads every file", "[paper][hfile]") {
  const HFile hf1(kFirst, BloomType::kRowCol);
  CHECK(hf1.MayHold("r1"));
  CHECK(hf1.MayHold("r7"));
}

TEST_CASE("with ROWCOL filters a deleted row is found by a get of any of its columns",
          "[paper][hfile]") {
  const HFile deleted({{"r1", ""}}, BloomType::kRowCol);
  CHECK(deleted.MayHold("r1", "q5"));
  CHECK_FALSE(deleted.MayHold("r2", "q5"));
}

TEST_CASE("a key of row and column is HBase's, byte for byte", "[paper][hfile]") {
  CHECK(RowColKey("ab", "c") ==
        "\0\x02"s + "ab" + "\0"s + "c" + "\x7f\xff\xff\xff\xff\xff\xff\xff\xff");
  CHECK(RowColKey(std::string(258, 'x'), "").substr(0, 2) == "\x01\x02");
  CHECK(RowColKey("a", "bc") != RowColKey("ab", "c"));
}

TEST_CASE("a file without cells holds nothing", "[paper][hfile]") {
  CHECK_FALSE(HFile({}, BloomType::kRow).MayHold("r1"));
}

}  // namespace
}  // namespace trommel::paper
