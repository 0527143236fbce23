// Queries of transposed presence bits: the reference's.
#include "kernels/columns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kernels/columns_reference.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::Guarded;

// Rows of random columns, in memory as the engine keeps them.
struct RowsSubject {
  RowsSubject(uint64_t num_blocks, size_t num_slices, size_t words)
      : reference(num_blocks, num_slices, num_columns(words)),
        row_words(words),
        rows(num_blocks * num_slices * SlicePositions(num_slices) * words) {
    digests = tests::DrawnDigests(200, 100, Catch::rngSeed());
    std::mt19937_64 random(Catch::rngSeed());
    for (size_t i = 0; i < 4 * num_columns(words); ++i) {
      reference.Insert(random() % num_columns(words), digests[random() % digests.size()]);
    }
    const std::vector<uint64_t> filled = reference.Rows(words);
    std::copy(filled.begin(), filled.end(), rows.data());
    view = {rows.data(), num_blocks, num_slices, words};
  }

  // As many as have this row, but for the last.
  static size_t num_columns(size_t words) { return words * 64 - 1; }

  std::vector<uint64_t> Want(size_t size) const {
    std::vector<uint64_t> want(size * row_words, 0);
    for (size_t i = 0; i < size; ++i) {
      for (size_t c = 0; c < num_columns(row_words); ++c) {
        const uint64_t is_shown = reference.MayContain(c, digests[i % digests.size()]) ? 1 : 0;
        want[i * row_words + c / 64] |= is_shown << c % 64;
      }
    }
    return want;
  }

  ColumnsReference reference;
  size_t row_words;
  std::vector<uint64_t> digests;
  Guarded<uint64_t> rows;
  ColumnRows view{};
};

TEST_CASE("rows are as wide as vectors or cache lines divide", "[kernels][columns]") {
  const std::vector<std::pair<size_t, size_t>> widths = {
      {1, 1},   {64, 1},   {65, 2},    {128, 2},      {129, 4},      {256, 4},      {257, 8},
      {512, 8}, {513, 16}, {1000, 16}, {10'000, 160}, {10'240, 160}, {65'536, 1024}};
  for (const auto& [columns, words] : widths) CHECK(RowWords(columns) == words);
}

TEST_CASE("the answers of transposed rows are the reference's on every target",
          "[kernels][columns]") {
  const size_t num_slices = GENERATE(4, 5, 8, 10, 16);
  const size_t row_words = GENERATE(1, 2, 4, 8, 16, 24);
  const RowsSubject subject(3, num_slices, row_words);
  const size_t distance = ColumnDistance(num_slices, row_words);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{2}, distance - 1, distance, distance + 1,
                            2 * distance + 1, size_t{100}}) {
    const std::vector<uint64_t> want = subject.Want(size);
    tests::ForEachRunnableTarget([&] {
      Guarded<uint64_t> columns(want.size(), ~uint64_t{0}, size % 3);
      ActiveKernels().columns.query(subject.digests.data(), size, subject.view, columns.data());
      REQUIRE(tests::FirstDifference(columns.Copy(), want) == "");
      REQUIRE(columns.GuardsIntact());
    });
  }
}

TEST_CASE("wide rows are answered word by word on every target", "[kernels][columns]") {
  const size_t num_slices = GENERATE(4, 5, 8, 10, 16);
  const RowsSubject subject(1, num_slices, RowWords(157 * 64));
  const std::vector<uint64_t> want = subject.Want(4);
  tests::ForEachRunnableTarget([&] {
    for (const size_t size : {1, 2, 3, 4}) {
      Guarded<uint64_t> columns(size * subject.row_words, ~uint64_t{0}, size % 3);
      ActiveKernels().columns.query(subject.digests.data(), size, subject.view, columns.data());
      const std::vector<uint64_t> first(
          want.begin(), want.begin() + static_cast<std::ptrdiff_t>(size * subject.row_words));
      REQUIRE(tests::FirstDifference(columns.Copy(), first) == "");
      REQUIRE(columns.GuardsIntact());
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
