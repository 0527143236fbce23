// Plans: which blocks a question asks, and in which order.
#include "engine/src/matrix/plans.h"

#include <thread>
#include <vector>

#include "engine/src/tuples/projection.h"
#include "support/catch.h"
#include "support/matrix_reference.h"
#include "support/tuple_rows.h"

namespace trommel::matrix {
namespace {

using tests::MadeGeometry;
using Sets = std::vector<AttributeMask>;

AttributeSets Cut(uint32_t num_attributes, const Sets& cuts) {
  return *AttributeSets::Create(num_attributes, cuts);
}

CellStore StoreOf(const Geometry& geometry, size_t num_tuples = 0) {
  CellStore store = *CellStore::Create(geometry, 0);
  const uint32_t num_attributes = geometry.sets.num_attributes();
  const tests::TupleColumns batch(
      tests::DrawnTuples(num_tuples, num_attributes, uint64_t{1} << 40, Catch::rngSeed()));
  if (num_tuples == 0) return store;
  std::vector<uint64_t> joint(num_tuples);
  ProjectionDigests(geometry.sets.full(), batch.view(), joint);
  store.Mark(ColumnsFrom(batch.view(), 0, joint.data()), num_tuples, nullptr);
  return store;
}

TEST_CASE("every kind asks its own blocks", "[engine][matrix][plans]") {
  const std::vector<uint64_t> positions = {90, 80, 70};
  const auto parts = [&](Kind kind, const Sets& cuts, AttributeMask asked) {
    return MakePlan(StoreOf(MadeGeometry(kind, Cut(3, cuts), positions, 2)), asked).parts;
  };
  CHECK(parts(Kind::kSbf, {}, 7) == Sets{7});
  CHECK(parts(Kind::kMdbf, {}, 6) == Sets{2, 4});
  CHECK(parts(Kind::kMdbf, {}, 7) == Sets{1, 2, 4});
  CHECK(parts(Kind::kCmdbf, {}, 5) == Sets{1, 4});
  CHECK(parts(Kind::kCmdbf, {}, 7) == Sets{1, 2, 4, 7});
  CHECK(parts(Kind::kBfm, {}, 5) == Sets{5});
  CHECK(parts(Kind::kCartesian, {}, 7) == Sets{7});
  CHECK(parts(Kind::kCartesian, {}, 2) == Sets{2});
  CHECK(parts(Kind::kCbfm, {0b101, 0b011}, 7) == Sets{6, 1});
  CHECK(parts(Kind::kCbfm, {0b101, 0b011}, 5) == Sets{1, 4});
  for (const Kind kind : {Kind::kMdbf, Kind::kCmdbf, Kind::kBfm, Kind::kCartesian, Kind::kCbfm}) {
    CHECK(parts(kind, {}, 0).empty());
  }
}

TEST_CASE("whole tuples are all that a single filter answers for", "[engine][matrix][plans]") {
  const Geometry single = MadeGeometry(Kind::kSbf, Cut(2, {}), {9, 9}, 1);
  CHECK(CanAnswer(single, 3));
  for (const AttributeMask asked : {0U, 1U, 2U, 4U, 7U}) CHECK_FALSE(CanAnswer(single, asked));
  const Geometry join = MadeGeometry(Kind::kCartesian, Cut(2, {}), {9, 9}, 1);
  for (const AttributeMask asked : {0U, 1U, 2U, 3U}) CHECK(CanAnswer(join, asked));
  CHECK_FALSE(CanAnswer(join, 4));
}

TEST_CASE("the block that lets fewest strangers pass is asked first, saturated ones never",
          "[engine][matrix][plans]") {
  // Attribute 1 has the most positions, so the least fill; attribute 2's are soon all marked.
  const Geometry geometry = MadeGeometry(Kind::kMdbf, Cut(3, {}), {2000, 9000, 3}, 2);
  const CellStore store = StoreOf(geometry, 300);
  const Plan plan = MakePlan(store, 7);
  CHECK(plan.parts == Sets{2, 1});
  CHECK(plan.block_idxs == std::vector<size_t>{1, 0});
  CHECK(plan.blocks[0].first == store.block(1).first);
  CHECK(MakePlan(store, 4).blocks.empty());
  CHECK(MakePlan(store, 4).parts.empty());
}

TEST_CASE("eight cuts of a pair each leave 256 parts", "[engine][matrix][plans]") {
  Sets cuts;
  for (uint32_t pair = 0; pair < 8; ++pair) cuts.push_back(3U << 2 * pair);
  // One position an attribute: 3^8 - 1 blocks of one cell.
  const CellStore store =
      StoreOf(MadeGeometry(Kind::kCbfm, Cut(16, cuts), std::vector<uint64_t>(16, 1), 1));
  CHECK(store.num_blocks() == 6560);
  const Plan plan = MakePlan(store, 0xffff);
  CHECK(plan.parts.size() == 256);
  for (size_t p = 0; p < plan.parts.size(); ++p) {
    CHECK(plan.blocks[p].num_rows == 8);
    CHECK(store.geometry().blocks[plan.block_idxs[p]].set == plan.parts[p]);
  }
}

TEST_CASE("a plan is made once, and again when it was dropped", "[engine][matrix][plans]") {
  const CellStore store = StoreOf(MadeGeometry(Kind::kMdbf, Cut(2, {}), {5000, 5}, 2));
  const CellStore fuller = StoreOf(store.geometry(), 100);
  Plans plans(2);
  const Plan& first = plans.For(store, 3);
  CHECK(first.parts == Sets{1, 2});
  CHECK(&plans.For(store, 3) == &first);
  CHECK(&plans.For(store, 1) != &first);
  CHECK(plans.For(fuller, 3).parts == Sets{1, 2});  // kept
  plans.Drop();
  CHECK(plans.For(fuller, 3).parts == Sets{1});  // attribute 1 is saturated there
}

TEST_CASE("threads that ask at the same time share one plan", "[engine][matrix][plans][threads]") {
  const CellStore store = StoreOf(MadeGeometry(Kind::kBfm, Cut(6, {}), {3, 3, 3, 3, 3, 3}, 2));
  const Plans plans(6);
  std::vector<std::vector<const Plan*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& of_thread : seen) {
    threads.emplace_back([&] {
      for (AttributeMask asked = 0; asked < 64; ++asked) {
        of_thread.push_back(&plans.For(store, asked));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : seen) CHECK(of_thread == seen[0]);
  for (AttributeMask asked = 1; asked < 64; ++asked) CHECK(seen[0][asked]->parts == Sets{asked});
}

}  // namespace
}  // namespace trommel::matrix
