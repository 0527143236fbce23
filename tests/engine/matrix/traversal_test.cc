// Traversals against visiting every cell by its coordinates.
#include "engine/src/matrix/traversal.h"

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/cells.h"
#include "support/catch.h"
#include "support/targets.h"
#include "support/tuple_rows.h"

namespace trommel::matrix {
namespace {

// Does each hash have a marked cell with the coordinates given? Over all cells.
bool ShownByDefinition(const std::vector<kernels::CellRow>& rows, uint64_t num_cells,
                       const std::vector<uint64_t>& words, AttributeMask asked,
                       const tests::TupleRow& tuple, size_t num_hashes) {
  for (size_t j = 0; j < num_hashes; ++j) {
    bool is_found = false;
    for (uint64_t c = 0; c < num_cells && !is_found; ++c) {
      if ((words[c / 64] >> c % 64 & 1) == 0) continue;
      is_found = true;
      for (const kernels::CellRow& row : rows) {
        if ((asked >> row.column & 1) == 0) continue;
        const uint64_t position = c / row.stride % row.num_positions;
        if (position != kernels::CellPosition(row, tuple[row.column], j)) is_found = false;
      }
    }
    if (!is_found) return false;
  }
  return true;
}

TEST_CASE("traversals find what all cells show, for every set and on every target",
          "[engine][matrix]") {
  // Runs of less than a word, of a word and a bit, and of several words; attributes of one
  // position.
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
    for (AttributeMask asked = 1; asked + 1 < AttributeMask{1} << num_attributes; ++asked) {
      std::vector<uint64_t> want(2, 0);
      for (size_t i = 0; i < tuples.size(); ++i) {
        const bool is_shown = ShownByDefinition(rows, num_cells, words, asked, tuples[i], 3);
        want[i / 64] |= uint64_t{is_shown} << i % 64;
      }
      const Traversal traversal(block, asked);
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
