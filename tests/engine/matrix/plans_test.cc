// Plans: which blocks are probed for a query, in which order; and traversals.
#include "engine/src/matrix/plans.h"

#include <bit>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "engine/src/matrix/traversal.h"
#include "engine/src/tuples/projection.h"
#include "kernels/cells.h"
#include "support/catch.h"
#include "support/matrix_reference.h"
#include "support/targets.h"
#include "support/tuple_rows.h"

namespace trommel::matrix {
namespace {

using tests::MadeGeometry;
using Sets = std::vector<AttributeMask>;

AttributeSets Cut(uint32_t num_attributes, const Sets& cuts) {
  return *AttributeSets::Create(num_attributes, cuts);
}

CellStore StoreOf(const MatrixGeometry& geometry, size_t num_tuples = 0) {
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

TEST_CASE("every kind probes its own blocks", "[engine][matrix][plans]") {
  const std::vector<uint64_t> positions = {90, 80, 70};
  const auto parts = [&](Kind kind, const Sets& cuts, AttributeMask queried) {
    return MakePlan(StoreOf(MadeGeometry(kind, Cut(3, cuts), positions, 2)), queried).parts;
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

TEST_CASE("a single filter answers only queries of whole tuples", "[engine][matrix][plans]") {
  const MatrixGeometry single = MadeGeometry(Kind::kSbf, Cut(2, {}), {9, 9}, 1);
  CHECK(CanAnswer(single, 3));
  for (const AttributeMask queried : {0U, 1U, 2U, 4U, 7U}) CHECK_FALSE(CanAnswer(single, queried));
  const MatrixGeometry join = MadeGeometry(Kind::kCartesian, Cut(2, {}), {9, 9}, 1);
  for (const AttributeMask queried : {0U, 1U, 2U, 3U}) CHECK(CanAnswer(join, queried));
  CHECK_FALSE(CanAnswer(join, 4));
}

TEST_CASE("the block that passes fewest non-members is probed first, saturated ones never",
          "[engine][matrix][plans]") {
  // Attribute 1 has the most positions, so the lowest fill; those of attribute 2 are soon all
  // marked.
  const MatrixGeometry geometry = MadeGeometry(Kind::kMdbf, Cut(3, {}), {2000, 9000, 3}, 2);
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
  // One position per attribute: 3^8 - 1 blocks of one cell.
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

TEST_CASE("a plan is made once, and again after Drop", "[engine][matrix][plans]") {
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

TEST_CASE("threads that query at the same time share one plan",
          "[engine][matrix][plans][threads]") {
  const CellStore store = StoreOf(MadeGeometry(Kind::kBfm, Cut(6, {}), {3, 3, 3, 3, 3, 3}, 2));
  const Plans plans(6);
  std::vector<std::vector<const Plan*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& of_thread : seen) {
    threads.emplace_back([&] {
      for (AttributeMask queried = 0; queried < 64; ++queried) {
        of_thread.push_back(&plans.For(store, queried));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : seen) CHECK(of_thread == seen[0]);
  for (AttributeMask queried = 1; queried < 64; ++queried)
    CHECK(seen[0][queried]->parts == Sets{queried});
}

// Does each hash have a marked cell with the given coordinates? Checks all cells.
bool ShownByDefinition(const std::vector<kernels::CellRow>& rows, uint64_t num_cells,
                       const std::vector<uint64_t>& words, AttributeMask queried,
                       const tests::TupleRow& tuple, size_t num_hashes) {
  for (size_t j = 0; j < num_hashes; ++j) {
    bool is_found = false;
    for (uint64_t c = 0; c < num_cells && !is_found; ++c) {
      if ((words[c / 64] >> c % 64 & 1) == 0) continue;
      is_found = true;
      for (const kernels::CellRow& row : rows) {
        if ((queried >> row.column & 1) == 0) continue;
        const uint64_t position = c / row.stride % row.num_positions;
        const uint64_t digest = tuple[row.column];
        if (position != kernels::CellPosition(row.num_positions, digest, j)) is_found = false;
      }
    }
    if (!is_found) return false;
  }
  return true;
}

TEST_CASE("traversals answer as a search of all cells, for every set and on every target",
          "[engine][matrix][plans]") {
  // Adjacent cells of less than a word, of a word and a bit, and of several words; attributes of
  // one position.
  const std::vector<uint64_t> positions =
      GENERATE(std::vector<uint64_t>{5, 6, 7}, std::vector<uint64_t>{3, 65},
               std::vector<uint64_t>{4, 1, 3, 130}, std::vector<uint64_t>{64, 2, 1},
               std::vector<uint64_t>{2, 3, 2, 3, 2});
  const auto num_attributes = static_cast<uint32_t>(positions.size());
  std::vector<kernels::CellRow> rows(num_attributes);
  uint64_t num_cells = 1;
  for (uint32_t a = num_attributes; a-- > 0;) {
    rows[a] = {.column = a, .num_positions = positions[a], .stride = num_cells};
    num_cells *= positions[a];
  }
  const kernels::CellBlock block = {
      .rows = rows.data(), .num_rows = rows.size(), .first = 0, .is_wide = false};
  const auto tuples = tests::DrawnTuples(100, num_attributes, 100, Catch::rngSeed());
  const tests::TupleColumns batch(tuples);
  std::mt19937_64 random(Catch::rngSeed());
  for (const uint64_t one_in : {uint64_t{2}, uint64_t{9}, num_cells / 2 + 1}) {
    std::vector<uint64_t> words(num_cells / 64 + 1, 0);
    for (uint64_t c = 0; c < num_cells; ++c) {
      words[c / 64] |= uint64_t{random() % one_in == 0} << c % 64;
    }
    for (AttributeMask queried = 1; queried + 1 < AttributeMask{1} << num_attributes; ++queried) {
      std::vector<uint64_t> want(2, 0);
      for (size_t i = 0; i < tuples.size(); ++i) {
        const bool is_shown = ShownByDefinition(rows, num_cells, words, queried, tuples[i], 3);
        want[i / 64] |= uint64_t{is_shown} << i % 64;
      }
      const Traversal traversal(block, queried);
      tests::ForEachRunnableTarget([&] {
        std::vector<uint64_t> got(2, ~uint64_t{0});
        const size_t num_present = traversal.Query(batch.view().columns.data(), tuples.size(),
                                                   words.data(), 3, got.data());
        CHECK(got == want);
        CHECK(num_present ==
              static_cast<size_t>(__builtin_popcountll(want[0]) + __builtin_popcountll(want[1])));
      });
    }
  }
}

}  // namespace
}  // namespace trommel::matrix
