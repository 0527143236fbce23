// The invariant of engine/src/columns/transposed_rows.h: the bits of the rows are the presence bits
// of the columns' stores.
#include "engine/src/columns/transposed_rows.h"

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"

namespace trommel {
namespace {

// Stores beside their rows, changed as FilterColumns changes them.
struct StoresAndRows {
  StoresAndRows(const Geometry& geometry, std::vector<uint32_t> used)
      : indices(std::move(used)),
        rows(TransposedRows::Allocate(geometry, indices.back() + 1).value()) {
    for (size_t i = 0; i < indices.size(); ++i) {
      stores.push_back(BlockStore::Create(geometry, 0).value());
    }
  }

  void Insert(size_t i, std::span<const uint64_t> digests) {
    stores[i].Insert(digests);
    rows.Set(indices[i], digests);
  }
  void Erase(size_t i, std::span<const uint64_t> digests) {
    std::array<uint64_t, BlockStore::kBitmapWords> erased{};
    stores[i].Erase(digests, erased);
    rows.ClearDrained(indices[i], digests, erased, stores[i]);
  }

  // The rows that the stores' presence bits make.
  std::string Difference() const {
    const size_t num_rows = stores[0].geometry().num_positions();
    for (size_t r = 0; r < num_rows; ++r) {
      std::vector<uint64_t> want(rows.row_words(), 0);
      for (size_t i = 0; i < indices.size(); ++i) {
        const uint64_t block = r / stores[i].num_counters();
        const uint64_t counter = r % stores[i].num_counters();
        const uint64_t bit = stores[i].PresenceOf(block)[counter / 32] >> counter % 32 & 1;
        want[indices[i] / 64] |= bit << indices[i] % 64;
      }
      for (size_t w = 0; w < rows.row_words(); ++w) {
        if (rows.words()[r * rows.row_words() + w] != want[w]) {
          return "row " + std::to_string(r) + ", word " + std::to_string(w);
        }
      }
    }
    return "";
  }

  std::vector<uint32_t> indices;
  TransposedRows rows;
  std::vector<BlockStore> stores;
};

TEST_CASE("rows hold the presence bits of their columns after any updates", "[engine][columns]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const Geometry geometry = tests::GeometryOf(shape, 3);
  // Columns that share words, at both ends of them.
  StoresAndRows subject(geometry, {0, 1, 63, 64, 200, 767});
  // So few distinct digests that counters rise, blocks are promoted and come back.
  std::mt19937_64 random(Catch::rngSeed());
  for (int step = 0; step < 60; ++step) {
    const size_t i = random() % subject.indices.size();
    const std::vector<uint64_t> digests =
        tests::DrawnDigests(random() % 120, 40, Catch::rngSeed() + random() % 3);
    if (random() % 5 < 3) {
      subject.Insert(i, digests);
    } else {
      subject.Erase(i, digests);
    }
    INFO("step " << step);
    REQUIRE(subject.Difference() == "");
  }
}

TEST_CASE("erasing what was inserted drains the rows", "[engine][columns]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  StoresAndRows subject(tests::GeometryOf(shape, 2), {3, 5});
  const std::vector<uint64_t> digests = tests::DrawnDigests(700, 300, Catch::rngSeed());
  subject.Insert(0, digests);
  subject.Insert(1, digests);
  subject.Erase(0, digests);
  CHECK(subject.Difference() == "");
  subject.Erase(1, digests);
  for (size_t w = 0; w < subject.rows.num_bytes() / 8; ++w) REQUIRE(subject.rows.words()[w] == 0);
}

TEST_CASE("a column's bits can be set and cleared from its store, and others stay",
          "[engine][columns]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  StoresAndRows subject(tests::GeometryOf(shape, 2), {3, 5});
  subject.Insert(0, tests::DrawnDigests(100, 100, 1));
  subject.Insert(1, tests::DrawnDigests(100, 100, 2));
  subject.rows.ClearAll(3, subject.stores[0]);
  CHECK(subject.Difference() != "");
  subject.rows.SetAll(3, subject.stores[0]);
  CHECK(subject.Difference() == "");
}

}  // namespace
}  // namespace trommel
