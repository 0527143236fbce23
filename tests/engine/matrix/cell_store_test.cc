// The memory of a matrix: where blocks lie, and that insertion marks the reference's cells.
#include "engine/src/matrix/cell_store.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "engine/src/tuples/projection.h"
#include "support/catch.h"
#include "support/matrix_reference.h"
#include "support/targets.h"
#include "support/tuple_rows.h"

namespace trommel::matrix {
namespace {

using tests::MadeGeometry;
using tests::MatrixReference;
using tests::TupleColumns;

AttributeSets SetsWith(uint32_t num_attributes, const std::vector<AttributeMask>& cuts = {}) {
  return *AttributeSets::Create(num_attributes, cuts);
}

// Marks as a matrix does, with the joint column.
void MarkAll(CellStore& store, const TupleColumns& batch, Executor* executor = nullptr) {
  std::vector<uint64_t> joint(batch.view().size);
  ProjectionDigests(store.geometry().sets.full(), batch.view(), joint);
  store.Mark(ColumnsFrom(batch.view(), 0, joint.data()), joint.size(), executor);
}

std::set<uint64_t> MarkedCells(const CellStore& store, size_t block_idx) {
  std::set<uint64_t> marked;
  for (uint64_t c = 0; c < store.num_cells(block_idx); ++c) {
    const uint64_t bit = store.block(block_idx).first + c;
    if ((store.words()[bit / 64] >> bit % 64 & 1) != 0) marked.insert(c);
  }
  return marked;
}

std::vector<uint64_t> WordsOf(const CellStore& store) {
  return {store.words(), store.words() + store.num_bytes() / 8};
}

std::vector<MatrixGeometry> Geometries() {
  const std::vector<uint64_t> positions = {40, 7, 23};
  std::vector<MatrixGeometry> geometries;
  for (const Kind kind : {Kind::kSbf, Kind::kMdbf, Kind::kCmdbf, Kind::kBfm, Kind::kCartesian}) {
    geometries.push_back(MadeGeometry(kind, SetsWith(3), positions, 3));
  }
  geometries.push_back(MadeGeometry(Kind::kCbfm, SetsWith(3, {0b101, 0b011}), positions, 6));
  return geometries;
}

TEST_CASE("insertion marks the reference's cells in every block on every target",
          "[engine][matrix]") {
  const MatrixGeometry geometry = GENERATE(from_range(Geometries()));
  CAPTURE(KindName(geometry.kind));
  // A batch of more than one kernel call, and one of less; tuples share values.
  const auto rows = tests::DrawnTuples(kernels::kMaxCellTuples + 9, 3, 30, Catch::rngSeed());
  MatrixReference reference(geometry);
  for (const tests::TupleRow& row : rows) reference.Insert(row);
  tests::ForEachRunnableTarget([&] {
    Result<CellStore> store = CellStore::Create(geometry, 0);
    MarkAll(*store, TupleColumns({rows.begin() + 5, rows.end()}));
    MarkAll(*store, TupleColumns({rows.begin(), rows.begin() + 5}));
    uint64_t num_bits = 0;
    for (size_t b = 0; b < store->num_blocks(); ++b) {
      CHECK(MarkedCells(*store, b) == reference.marked(b));
      CHECK(store->num_marked(b) == reference.marked(b).size());
      num_bits += store->num_marked(b);
    }
    // Nothing else is marked between blocks.
    for (const uint64_t word : WordsOf(*store))
      num_bits -= static_cast<uint64_t>(std::popcount(word));
    CHECK(num_bits == 0);
  });
}

TEST_CASE("blocks of cells begin on cache lines and are counted without gaps", "[engine][matrix]") {
  const MatrixGeometry geometry = MadeGeometry(Kind::kBfm, SetsWith(3), {100, 3, 600}, 2);
  const CellStore store = *CellStore::Create(geometry, 0);
  REQUIRE(store.num_blocks() == 7);
  CHECK(store.num_bytes() == geometry.num_bytes());
  uint64_t first = 0;
  uint64_t first_cell = 0;
  for (size_t b = 0; b < 7; ++b) {
    CHECK(store.block(b).first == first);
    CHECK(store.first_cell(b) == first_cell);
    first_cell += geometry.blocks[b].num_cells();
    first += (geometry.blocks[b].num_cells() + 511) / 512 * 512;
  }
  CHECK(first == store.num_bytes() * 8);
  const kernels::CellBlock& whole = store.block(6);
  REQUIRE(whole.num_rows == 3);
  CHECK(whole.rows[0].stride == 1800);
  CHECK(whole.rows[1].stride == 600);
  CHECK(whole.rows[2].stride == 1);
  CHECK(whole.rows[1].column == 1);
  CHECK_FALSE(whole.is_wide);
}

TEST_CASE("a block all of whose cells are marked is saturated, and stays so", "[engine][matrix]") {
  CellStore store = *CellStore::Create(MadeGeometry(Kind::kMdbf, SetsWith(2), {1, 5000}, 3), 0);
  CHECK_FALSE(store.IsSaturated(0));
  CHECK(store.CurrentFpr(0) == 0);
  const TupleColumns batch(tests::DrawnTuples(500, 2, 400, Catch::rngSeed()));
  MarkAll(store, batch);
  MarkAll(store, batch);
  CHECK(store.IsSaturated(0));
  CHECK(store.CurrentFpr(0) == 1);
  CHECK_FALSE(store.IsSaturated(1));
  const double fill = static_cast<double>(store.num_marked(1)) / 5000;
  CHECK(store.CurrentFpr(1) == Approx(fill * fill * fill));
  CHECK(MarkedCells(store, 1).size() == store.num_marked(1));
  store.Clear();
  CHECK(store.num_marked(0) == 0);
  CHECK(std::ranges::all_of(WordsOf(store), [](uint64_t word) { return word == 0; }));
}

TEST_CASE("cells beyond the limit are refused with what they take", "[engine][matrix]") {
  const MatrixGeometry geometry = MadeGeometry(Kind::kBfm, SetsWith(2), {10000, 10000}, 3);
  const Result<CellStore> store = CellStore::Create(geometry, 1 << 20);
  REQUIRE_FALSE(store.ok());
  CHECK(store.error().code == ErrorCode::kOutOfMemory);
  CHECK(store.error().message.find(GroupedText(geometry.num_bytes())) != std::string::npos);
  CHECK(store.error().message.find("1,048,576") != std::string::npos);
  MatrixGeometry wrong = geometry;
  wrong.num_hashes = 65;
  CHECK(CellStore::Create(wrong, 0).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace trommel::matrix
