// The matrix as printed: its index walk against counting cells one by one.
#include "engine/src/matrix/literal_matrix.h"

#include <set>
#include <string>

#include "support/catch.h"
#include "trommel/matrix/sizing.h"

namespace trommel::matrix {
namespace {

using Catch::Matchers::ContainsSubstring;
using Masks = std::vector<AttributeMask>;

// Index of every kept cell, by visiting all logical coordinates in order: 0 is the mark, the last
// attribute the highest digit.
class CountedCells {
 public:
  CountedCells(const AttributeSets& sets, std::span<const uint64_t> positions) {
    std::vector<uint64_t> coordinate(positions.size(), 0);
    for (bool is_more = true; is_more;) {
      AttributeMask given = 0;
      for (size_t i = 0; i < coordinate.size(); ++i) {
        if (coordinate[i] != 0) given |= 1U << i;
      }
      if (given == 0 || sets.IsAllowed(given)) cells.push_back({given, coordinate});
      size_t i = 0;
      while (i < coordinate.size() && coordinate[i] == positions[i]) coordinate[i++] = 0;
      is_more = i < coordinate.size();
      if (is_more) ++coordinate[i];
    }
  }

  struct Cell {
    AttributeMask given;
    std::vector<uint64_t> coordinate;
  };
  std::vector<Cell> cells;
};

TEST_CASE("the published index walk numbers the kept cells without gaps", "[engine][matrix]") {
  struct Setting {
    Masks cuts;
    std::vector<uint64_t> positions;
  };
  const std::vector<Setting> settings{
      {{}, {3}},
      {{}, {2, 3, 4}},
      {{0b101, 0b011}, {3, 4, 2}},
      {{0b0011, 0b1100}, {2, 3, 1, 2}},
      {{0b0111, 0b1100, 0b1010}, {2, 2, 3, 2}},
      {{0b11111}, {1, 2, 1, 2, 2}},
  };
  for (const Setting& setting : settings) {
    const AttributeSets sets =
        *AttributeSets::Create(static_cast<uint32_t>(setting.positions.size()), setting.cuts);
    const auto matrix = LiteralMatrix::Create(sets, setting.positions, 1);
    REQUIRE(matrix.ok());
    const CountedCells counted(sets, setting.positions);
    CHECK(matrix->num_cells() == counted.cells.size());
    const std::vector<double> real(setting.positions.begin(), setting.positions.end());
    CHECK(static_cast<double>(matrix->num_cells()) == CbfmCells(sets, real));
    for (size_t c = 0; c < counted.cells.size(); ++c) {
      CHECK(matrix->CalculateIndex(counted.cells[c].given, counted.cells[c].coordinate) == c);
    }
  }
}

TEST_CASE("invalid shapes of the published matrix are refused", "[engine][matrix]") {
  const AttributeSets sets = *AttributeSets::Create(3);
  const auto complaint = [&](const std::vector<uint64_t>& positions, uint32_t num_hashes) {
    const auto matrix = LiteralMatrix::Create(sets, positions, num_hashes);
    return matrix.ok() ? std::string() : matrix.error().message;
  };
  CHECK_THAT(complaint({1, 1}, 1), ContainsSubstring("number of positions is 2"));
  CHECK_THAT(complaint({1, 0, 1}, 1), ContainsSubstring("positions of an attribute is 0"));
  CHECK_THAT(complaint({1, 1, 1}, 0), ContainsSubstring("num_hashes is 0"));
  CHECK_THAT(complaint({1 << 20, 1 << 20, 1 << 20}, 1), ContainsSubstring("would take"));
  Masks pairs;
  for (uint32_t i = 1; i < 8; ++i) {
    for (uint32_t j = 0; j < i; ++j) pairs.push_back(1U << i | 1U << j);
  }
  const auto many =
      LiteralMatrix::Create(*AttributeSets::Create(8, pairs), std::vector<uint64_t>(8, 2), 1);
  CHECK_THAT(many.error().message, ContainsSubstring("number of cuts is 28"));
}

}  // namespace
}  // namespace trommel::matrix
