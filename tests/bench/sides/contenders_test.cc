// Sides of comparisons, and the cache lines that they touch.
#include "bench/sides/contenders.h"

#include <memory>
#include <set>
#include <vector>

#include "bench/sides/access_shape.h"
#include "bench/sides/attribute_sides.h"
#include "bench/sides/tuple_workload.h"
#include "bench/sides/workload.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("every operation has its own name", "[bench][contenders]") {
  std::set<std::string_view> names;
  for (const Op op : kAllOps) names.insert(OpName(op));
  CHECK(names.size() == std::size(kAllOps));
}

TEST_CASE("each side inserts, finds and erases, in every form that it has", "[bench][contenders]") {
  constexpr size_t kNumKeys = 10'000;
  const auto [form, insert] = GENERATE(table<Form, Op>({{Form::kBatch, Op::kInsert},
                                                        {Form::kPoint, Op::kPointInsert},
                                                        {Form::kFetched, Op::kFetchedInsert}}));
  CHECK(FormOf(insert) == form);
  const auto sides = MakeContenders(kNumKeys, 0.01);
  REQUIRE(sides.size() == kNumSides);
  const Population population(kFirstMember, kNumKeys / 2);
  const Batch batch = population.batch();
  for (const auto& side : sides) {
    if (!side->CanDo(insert)) continue;
    INFO(side->name());
    CHECK(side->num_bytes() > kNumKeys);
    CHECK(side->PredictedFpr(kNumKeys) <= 0.01);
    CHECK(side->FprSigma(kNumKeys, 1000) > 0);
    CHECK(side->Query(batch, form) < batch.size() / 10);
    side->Insert(batch, form);
    CHECK(side->Query(batch, form) == batch.size());
    if (!side->CanDo(Op::kErase)) continue;
    CHECK(side->Erase(batch, form) == batch.size());
    CHECK(side->Query(batch, form) == 0);
    CHECK(side->Erase(batch, form) == 0);
  }
}

TEST_CASE("the sides of all filter types hold the same keys, and erase them again",
          "[bench][family]") {
  constexpr uint64_t kNumKeys = 40'000;
  const auto sides = MakeFamily({.num_keys = kNumKeys});
  REQUIRE(sides.size() == kNumFamilySides);
  const Population members(kFirstMember, kNumKeys - kNumKeys / 32);
  const Population guests(kFirstGuest, 500);
  for (const auto& side : sides) {
    INFO(side->name());
    side->Insert(members.batch(), Form::kBatch);
    CHECK(side->Query(members.batch(), Form::kBatch) == members.batch().size());
    side->Insert(guests.batch(), Form::kPoint);
    CHECK(side->Query(guests.batch(), Form::kPoint) == guests.batch().size());
    CHECK(side->Erase(guests.batch(), Form::kBatch) == guests.batch().size());
    side->Insert(guests.batch(), Form::kBatch);
    CHECK(side->Erase(guests.batch(), Form::kPoint) == guests.batch().size());
    side->Insert(guests.batch(), Form::kFetched);
    CHECK(side->Query(guests.batch(), Form::kFetched) == guests.batch().size());
    CHECK(side->Erase(guests.batch(), Form::kFetched) == guests.batch().size());
    CHECK(side->Query(members.batch(), Form::kPoint) == members.batch().size());
    CHECK(side->PredictedFpr(kNumKeys) < 0.011);
    CHECK(side->num_bytes() > kNumKeys);
  }
}

TEST_CASE("matrices have the same memory, and both matrices of two cuts the same cells",
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
  const TupleQueries members = workload.Members(0b111, 500, 1);
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(500));
  for (uint8_t side = 0; side < kNumAttributeSides; ++side) {
    const auto index = MakeAttributeSide(static_cast<AttributeSide>(side), 2000);
    workload.InsertInto(*index);
    INFO(AttributeSideNames()[side]);
    CHECK(index->Query(members.set, members.digests.view(), maybe) == 500);
  }
}

TEST_CASE("planes touch presence and counts separately, runs the lines of their block",
          "[bench][shape]") {
  struct Case {
    Encoding encoding;
    uint32_t num_slices;
    uint32_t query_lines;
    uint32_t update_lines;
    size_t num_arrays;  // of an update
  };
  const Case c = GENERATE(values<Case>({{Encoding::kPlanes, 8, 1, 3, 2},
                                        {Encoding::kRuns, 4, 1, 1, 1},
                                        {Encoding::kRuns, 5, 1, 1, 1},
                                        {Encoding::kRuns, 8, 1, 1, 1},
                                        {Encoding::kRuns, 10, 2, 2, 1}}));
  const Geometry geometry{.num_slices = c.num_slices, .encoding = c.encoding, .num_blocks = 1000};
  REQUIRE(Validate(geometry).ok());
  const std::vector<Touch> query = QueryShape(geometry);
  REQUIRE(query.size() == 1);
  CHECK(query[0].bytes == geometry.query_bytes());
  CHECK(NumLines(query) == c.query_lines);
  const std::vector<Touch> update = UpdateShape(geometry);
  CHECK(update.size() == c.num_arrays);
  CHECK(NumLines(update) == c.update_lines);
  uint64_t num_bytes = 0;
  for (const Touch& touch : update) num_bytes += touch.bytes;
  CHECK(num_bytes == geometry.num_bytes());
}

}  // namespace

}  // namespace trommel::bench
