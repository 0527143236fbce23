// Geometries of the published structures: their blocks, their memory, and what is no geometry.
#include "trommel/matrix/geometry.h"

#include <string>

#include "support/catch.h"

namespace trommel::matrix {
namespace {

using Catch::Matchers::ContainsSubstring;

MatrixGeometry PaperGeometry() {  // cuts {0,2} and {0,1}; m = 10
  MatrixGeometry geometry{
      .kind = Kind::kCbfm,
      .sets = *AttributeSets::Create(3, std::vector<AttributeMask>{0b101, 0b011}),
      .num_hashes = 6};
  geometry.blocks = EmptyBlocks(geometry.kind, geometry.sets);
  for (Block& block : geometry.blocks) {
    block.positions.assign(block.set == 0b110 ? 2 : 1, 10);
  }
  return geometry;
}

std::string ComplaintAbout(const MatrixGeometry& geometry) {
  const Status status = Validate(geometry);
  return status.ok() ? "" : status.error().message;
}

TEST_CASE("each kind of matrix has its blocks", "[engine][matrix]") {
  const AttributeSets sets = *AttributeSets::Create(3);
  CHECK(EmptyBlocks(Kind::kSbf, sets).size() == 1);
  CHECK(EmptyBlocks(Kind::kSbf, sets)[0].is_joint);
  CHECK(EmptyBlocks(Kind::kMdbf, sets).size() == 3);
  CHECK(EmptyBlocks(Kind::kCmdbf, sets).size() == 4);
  CHECK(EmptyBlocks(Kind::kCmdbf, sets)[3].is_joint);
  CHECK(EmptyBlocks(Kind::kBfm, sets).size() == 7);
  CHECK(EmptyBlocks(Kind::kCartesian, sets) == std::vector<Block>{{.set = 0b111}});
  CHECK(EmptyBlocks(Kind::kCbfm, PaperGeometry().sets).size() == 4);
}

TEST_CASE("a matrix geometry knows its memory", "[engine][matrix]") {
  const MatrixGeometry geometry = PaperGeometry();
  CHECK(ComplaintAbout(geometry) == "");
  CHECK(geometry.num_cells() == 3 * 10 + 100);
  CHECK(geometry.published_cells() == 10 * 10 + 3 * 10 + 1);  // m^2 + 3m + 1
  CHECK(geometry.num_bytes() == 4 * 64);                      // every block on its own lines
}

TEST_CASE("matrix geometries out of range are refused by name, value and range",
          "[engine][matrix]") {
  MatrixGeometry geometry = PaperGeometry();
  geometry.num_hashes = 0;
  CHECK_THAT(ComplaintAbout(geometry), ContainsSubstring("num_hashes is 0"));
  geometry = PaperGeometry();
  geometry.kind = Kind::kBfm;
  CHECK_THAT(ComplaintAbout(geometry), ContainsSubstring("BFM: has no cuts"));
  geometry = PaperGeometry();
  geometry.blocks.pop_back();
  CHECK_THAT(ComplaintAbout(geometry), ContainsSubstring("must be the kind's 4"));
  geometry = PaperGeometry();
  geometry.blocks[3].positions.pop_back();
  CHECK_THAT(ComplaintAbout(geometry),
             ContainsSubstring("block {1,2} has positions for 1 attributes; it must have 2"));
  geometry = PaperGeometry();
  geometry.blocks[0].positions[0] = 0;
  CHECK_THAT(ComplaintAbout(geometry), ContainsSubstring("positions of block {0} is 0"));
  geometry = PaperGeometry();
  geometry.blocks[3].positions = {kMaxPositions, kMaxPositions};
  CHECK_THAT(ComplaintAbout(geometry), ContainsSubstring("block {1,2} has more than"));
  geometry = PaperGeometry();
  geometry.sets = *AttributeSets::AtMost(3, 2);
  CHECK_THAT(ComplaintAbout(geometry),
             ContainsSubstring("the sets have a limit; a matrix has all"));
  const std::vector<AttributeMask> whole = {0b111};
  geometry.sets = *AttributeSets::Keep(3, whole);
  CHECK_THAT(ComplaintAbout(geometry), ContainsSubstring("the sets are a list; a matrix has all"));
  geometry.sets = *AttributeSets::AtMost(17, 1);
  CHECK_THAT(ComplaintAbout(geometry),
             ContainsSubstring("the sets have 17 attributes; a matrix has between 1 and 16"));
  geometry = PaperGeometry();
  geometry.kind = static_cast<Kind>(9);
  CHECK_THAT(ComplaintAbout(geometry), ContainsSubstring("kind is 9"));
}

}  // namespace
}  // namespace trommel::matrix
