// Cells and queries of tuples: the reference's.
#include "kernels/cells.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cells_reference.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::Guarded;

// A grid as kernels see it.
struct GridView {
  GridView(const CellGrid& grid, uint64_t first) {
    uint64_t stride = 1;
    for (size_t r = grid.columns.size(); r-- > 0;) {
      rows.insert(rows.begin(), {grid.columns[r], grid.positions[r], stride});
      stride *= grid.positions[r];
    }
    const bool is_wide = std::ranges::any_of(rows, [](const CellRow& r) { return r.stride >> 32; });
    block = {.rows = rows.data(), .num_rows = rows.size(), .first = first, .is_wide = is_wide};
  }
  GridView(const GridView&) = delete;
  GridView& operator=(const GridView&) = delete;

  std::vector<CellRow> rows;
  CellBlock block;
};

// Columns of one length each, and null where there is none.
struct ColumnSet {
  ColumnSet(size_t num_columns, size_t size, size_t num_distinct, uint64_t seed) {
    for (size_t c = 0; c < num_columns; ++c) {
      columns.push_back(tests::DrawnDigests(size, num_distinct, seed + c));
      // The extremes of both halves.
      for (size_t i = 0; i + 4 < size && i < 4; ++i) {
        columns[c][i + 2] = (i & 1 ? ~uint64_t{0} << 32 : 0) | (i & 2 ? 0xffffffffU : 0);
      }
    }
  }

  std::vector<const uint64_t*> pointers(size_t first) const {
    std::vector<const uint64_t*> result;
    for (const auto& column : columns) result.push_back(column.data() + first);
    return result;
  }
  std::vector<uint64_t> tuple(size_t i) const {
    std::vector<uint64_t> result;
    for (const auto& column : columns) result.push_back(column[i]);
    return result;
  }

  std::vector<std::vector<uint64_t>> columns;
};

constexpr uint64_t kMost = 0xffffffffU;

TEST_CASE("cells of tuples are the reference's on every target", "[kernels][cells]") {
  const CellGrid grid = GENERATE(
      CellGrid{{0}, {1}}, CellGrid{{2}, {1000}}, CellGrid{{0, 2}, {5, 3}},
      CellGrid{{0, 1, 2}, {511, 1, 77}}, CellGrid{{1}, {kMost}}, CellGrid{{0, 1}, {1023, kMost}},
      CellGrid{{1, 2}, {kMost, 1024}}, CellGrid{{0, 1, 2}, {2, kMost, 512}},
      CellGrid{{0, 1, 2}, {16, uint64_t{1} << 16, uint64_t{1} << 20}});
  const CellsReference reference(grid, 64);
  const ColumnSet batch(3, 40, 40, Catch::rngSeed());
  const uint64_t first = GENERATE(uint64_t{0}, uint64_t{1} << 41);
  const GridView view(grid, first);
  for (const uint32_t hash_idx : {0U, 1U, 2U, 63U}) {
    std::vector<uint64_t> want;
    for (size_t i = 0; i < 40; ++i) {
      want.push_back(first + reference.CellOf(batch.tuple(i), hash_idx));
    }
    tests::ForEachRunnableTarget([&] {
      for (const size_t size : {0U, 1U, 3U, 7U, 8U, 9U, 40U}) {
        Guarded<uint64_t> cells(size, 0, size % 3);
        ActiveKernels().cells.cells(batch.pointers(40 - size).data(), size, view.block, hash_idx,
                                    cells.data());
        CHECK(tests::FirstDifference(cells.Copy(),
                                     {want.end() - static_cast<int>(size), want.end()}) == "");
        CHECK(cells.GuardsIntact());
      }
    });
  }
}

// Some blocks in one memory, as the engine has them.
struct CellStore {
  CellStore(const std::vector<CellGrid>& grids, uint32_t num_hashes) {
    uint64_t first = 0;
    for (const CellGrid& grid : grids) {
      references.emplace_back(grid, num_hashes);
      views.push_back(std::make_unique<GridView>(grid, first));
      uint64_t num_cells = 1;
      for (const uint64_t m : grid.positions) num_cells *= m;
      first += (num_cells + 511) / 512 * 512;
    }
    words.assign(first / 64, 0);
  }

  void Insert(const std::vector<uint64_t>& tuple) {
    for (CellsReference& reference : references) reference.Insert(tuple);
  }
  void Write() {
    for (size_t b = 0; b < references.size(); ++b) {
      for (const uint64_t cell : references[b].marked()) {
        const uint64_t bit = views[b]->block.first + cell;
        words[bit / 64] |= uint64_t{1} << bit % 64;
      }
    }
  }

  std::vector<CellsReference> references;
  std::vector<std::unique_ptr<GridView>> views;
  std::vector<uint64_t> words;
};

TEST_CASE("questions to cells get the reference's answers on every target", "[kernels][cells]") {
  const uint32_t num_hashes = GENERATE(1U, 3U, 6U);
  // Columns in an order of their own; one block for all, several, and one more than needed.
  const std::vector<std::vector<CellGrid>> stores = {
      {{{0, 1, 2}, {13, 11, 9}}},
      {{{1}, {900}}, {{0, 2}, {30, 40}}},
      {{{0}, {700}}, {{1}, {500}}, {{2}, {600}}, {{3}, {1000}}},
      {{{3}, {3000}}, {{0, 1, 2, 3}, {7, 1, 8, 9}}}};
  for (const std::vector<CellGrid>& grids : stores) {
    CellStore store(grids, num_hashes);
    const ColumnSet members(4, 80, 80, Catch::rngSeed());
    for (size_t i = 0; i < 80; ++i) store.Insert(members.tuple(i));
    store.Write();
    // A third are members, a third differ from one in one attribute.
    ColumnSet batch(4, kMaxCellTuples, kMaxCellTuples, Catch::rngSeed() + 100);
    for (size_t i = 0; i < kMaxCellTuples; ++i) {
      for (size_t c = 0; c < 4 && i % 3 != 0; ++c) {
        if (i % 3 == 2 && i / 3 % 4 == c) continue;
        batch.columns[c][i] = members.columns[c][i % 80];
      }
    }
    std::vector<CellBlock> blocks;
    for (const auto& view : store.views) blocks.push_back(view->block);
    for (const size_t size :
         {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{8}, size_t{9}, size_t{63}, size_t{64},
          size_t{65}, kMaxCellTuples - 1, kMaxCellTuples}) {
      const size_t first = kMaxCellTuples - size;
      std::vector<uint64_t> want((size + 63) / 64, 0);
      size_t num_want = 0;
      for (size_t i = 0; i < size; ++i) {
        const bool answer = std::ranges::all_of(store.references, [&](const CellsReference& r) {
          return r.MayContain(batch.tuple(first + i));
        });
        want[i / 64] |= uint64_t{answer} << i % 64;
        num_want += answer ? 1 : 0;
      }
      tests::ForEachRunnableTarget([&] {
        for (CellBlock& block : blocks) block.is_wide = size % 2 == 0;  // always allowed
        Guarded<uint64_t> bitmap(want.size(), ~uint64_t{0});
        const size_t num_present =
            ActiveKernels().cells.query(batch.pointers(first).data(), size, store.words.data(),
                                        blocks.data(), blocks.size(), num_hashes, bitmap.data());
        REQUIRE(num_present == num_want);
        REQUIRE(tests::FirstDifference(bitmap.Copy(), want) == "");
        REQUIRE(bitmap.GuardsIntact());
      });
    }
  }
}

TEST_CASE("a question with no blocks is answered yes on every target", "[kernels][cells]") {
  tests::ForEachRunnableTarget([&] {
    std::vector<uint64_t> bitmap(2, 0);
    CHECK(ActiveKernels().cells.query(nullptr, 70, nullptr, nullptr, 0, 6, bitmap.data()) == 70);
    CHECK(bitmap == std::vector<uint64_t>{~uint64_t{0}, 63});
  });
}

}  // namespace
}  // namespace trommel::kernels
