// Projections, of all tuples of a batch or of some: files depend on their values.
#include "engine/src/tuples/projection.h"

#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "support/digests.h"
#include "support/tuple_rows.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

struct SixteenColumns {
  explicit SixteenColumns(size_t size) {
    for (uint32_t a = 0; a < kMaxAttributes; ++a) {
      columns.push_back(tests::DrawnDigests(size, size + 1, Catch::rngSeed() + a));
      tuples.columns[a] = columns.back().data();
    }
    tuples.size = size;
  }

  std::vector<std::vector<uint64_t>> columns;
  Tuples tuples;
};

TEST_CASE("projections are XXH3 of the set's digests under the set as seed",
          "[engine][projection]") {
  const SixteenColumns batch(9);
  for (const AttributeMask set : {0x3U, 0x5U, 0x8001U, 0x7U, 0x4444U, 0x1234U, 0x7ffeU, 0xffffU}) {
    std::vector<uint64_t> digests(9);
    ProjectionDigests(set, batch.tuples, digests);
    for (size_t i = 0; i < digests.size(); ++i) {
      std::vector<unsigned char> bytes;
      for (uint32_t a = 0; a < kMaxAttributes; ++a) {
        if ((set >> a & 1) == 0) continue;
        for (int shift = 0; shift < 64; shift += 8) {
          bytes.push_back(static_cast<unsigned char>(batch.columns[a][i] >> shift));
        }
      }
      CHECK(digests[i] == XXH3_64bits_withSeed(bytes.data(), bytes.size(), set));
    }
  }
}

TEST_CASE("the projection onto one attribute is its digest", "[engine][projection]") {
  const SixteenColumns batch(5);
  std::vector<uint64_t> digests(5);
  ProjectionDigests(0x8000, batch.tuples, digests);
  CHECK(digests == batch.columns[15]);
}

TEST_CASE("projections of a fixed tuple stay what they are in files", "[engine][projection]") {
  const std::vector<uint64_t> first = {1};
  const std::vector<uint64_t> second = {2};
  Tuples tuples;
  tuples.columns[0] = first.data();
  tuples.columns[2] = second.data();
  tuples.size = 1;
  uint64_t digest = 0;
  ProjectionDigests(0b101, tuples, {&digest, 1});
  CHECK(digest == 0xe9f0bbc29c6ea47cULL);
}

TEST_CASE("chosen tuples have the digests of their projections", "[engine][projection]") {
  const size_t num_rows = GENERATE(size_t{1}, 64, 127, 128, 129, 700);
  const std::vector<tests::TupleRow> rows =
      tests::RandomRows(num_rows, std::vector<uint64_t>{0, 0, 0}, 1);
  const tests::TupleColumns columns(rows);
  for (const size_t step : {1, 2, 5}) {
    std::vector<uint32_t> places;
    for (size_t i = 0; i < num_rows; i += step) places.push_back(static_cast<uint32_t>(i));
    for (const AttributeMask set : {0b001, 0b100, 0b101, 0b111}) {
      std::vector<uint64_t> buffer(num_rows);
      const auto digests = ChosenDigests(set, columns.view(), places, buffer);
      REQUIRE(digests.size() == places.size());
      for (size_t k = 0; k < places.size(); ++k) {
        REQUIRE(digests[k] == tests::ProjectionOf(set, rows[places[k]]));
      }
    }
  }
  std::vector<uint64_t> none;
  CHECK(ChosenDigests(0b011, columns.view(), {}, none).empty());
}

}  // namespace
}  // namespace trommel
