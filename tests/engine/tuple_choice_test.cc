// Some tuples of a batch, by their places.
#include "engine/src/tuples/tuple_choice.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/tuple_rows.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("chosen tuples have the digests of their projections", "[engine][attributes]") {
  const size_t num_rows = GENERATE(size_t{1}, 64, 127, 128, 129, 700);
  const std::vector<TupleRow> rows = RandomRows(num_rows, std::vector<uint64_t>{0, 0, 0}, 1);
  const TupleColumns columns(rows);
  for (const size_t step : {1, 2, 5}) {
    std::vector<uint32_t> places;
    for (size_t i = 0; i < num_rows; i += step) places.push_back(static_cast<uint32_t>(i));
    for (const AttributeMask set : {0b001, 0b100, 0b101, 0b111}) {
      std::vector<uint64_t> buffer(num_rows);
      const auto digests = ChosenDigests(set, columns.view(), places, buffer);
      REQUIRE(digests.size() == places.size());
      for (size_t k = 0; k < places.size(); ++k) {
        REQUIRE(digests[k] == ProjectionOf(set, rows[places[k]]));
      }
    }
  }
  std::vector<uint64_t> none;
  CHECK(ChosenDigests(0b011, columns.view(), {}, none).empty());
}

TEST_CASE("a whole column is not copied", "[engine][attributes]") {
  const std::vector<uint64_t> column(10, 3);
  Tuples tuples;
  tuples.columns[1] = column.data();
  tuples.size = column.size();
  std::vector<uint32_t> places(10);
  std::iota(places.begin(), places.end(), 0U);
  CHECK(ChosenDigests(0b10, tuples, places, {}).data() == column.data());
  CHECK_THAT(AbortMessage([&] { ChosenDigests(0b01, tuples, places, {}); }),
             ContainsSubstring("column"));
  std::vector<uint64_t> buffer(1);
  CHECK_THAT(AbortMessage([&] { ChosenDigests(0b01, tuples, std::span(places).first(1), buffer); }),
             ContainsSubstring("column"));
}

TEST_CASE("places and bitmaps are two spellings of one choice", "[engine][attributes]") {
  const std::vector<uint64_t> bitmap = {uint64_t{1} << 63 | 5, 0, 2};
  std::vector<uint32_t> places(130);
  places.resize(PlacesOf(bitmap, 130, places.data()));
  CHECK(places == std::vector<uint32_t>{0, 2, 63, 129});
  std::vector<uint64_t> again(3, ~uint64_t{0});
  SetOnly(places, again);
  CHECK(again == bitmap);
  const uint64_t kept = 0b1010;
  places.resize(KeepPlaces(std::span(&kept, 1), places));
  CHECK(places == std::vector<uint32_t>{2, 129});
}

}  // namespace
}  // namespace trommel::tests
