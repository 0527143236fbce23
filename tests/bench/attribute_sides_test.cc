#include "bench/attribute_sides.h"

#include "bench/tuple_workload.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("sides of cells have the same memory, and both matrices of two cuts the same cells",
          "[bench][attributes]") {
  const uint64_t num_cells = SideCellsFor(10'000'000);
  CHECK(num_cells == uint64_t{1} << 27);
  for (const AttributeSide side : {kMdbfSide, kBfmSide, kOneCutSide, kTwoCutsSide}) {
    const matrix::Matrix made = MakeSideMatrix(side, num_cells / 1000);
    CHECK(made.geometry().num_cells() <= num_cells / 1000);
    CHECK(made.geometry().num_cells() > num_cells / 1000 * 9 / 10);
    CHECK(made.geometry().num_hashes == kSideHashes);
  }
  CHECK(MakeLiteralSide(num_cells / 1000).num_cells() ==
        MakeSideMatrix(kTwoCutsSide, num_cells / 1000).geometry().published_cells());
}

TEST_CASE("every side finds the tuples that are in it", "[bench][attributes]") {
  const TupleWorkload workload(3, 2000, 3);
  const TupleQuestions members = workload.Members(0b111, 500, 1);
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(500));
  for (uint8_t side = 0; side < kNumAttributeSides; ++side) {
    const auto index = MakeAttributeSide(static_cast<AttributeSide>(side), 2000);
    workload.InsertInto(*index);
    INFO(AttributeSideNames()[side]);
    CHECK(index->Query(members.asked, members.digests.view(), maybe) == 500);
  }
}

}  // namespace
}  // namespace trommel::bench
