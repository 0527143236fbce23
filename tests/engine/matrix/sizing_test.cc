// Sizing of the published structures: the source's formulas, memory shared by weights, refusals.
#include "trommel/matrix/sizing.h"

#include <cmath>
#include <string>

#include "support/catch.h"

namespace trommel::matrix {
namespace {

using Catch::Matchers::ContainsSubstring;
using Masks = std::vector<AttributeMask>;

constexpr uint64_t k16Megabytes = uint64_t{1} << 27;  // in bits

AttributeSets SetsOf(uint32_t num_attributes, const Masks& cuts = {}) {
  return *AttributeSets::Create(num_attributes, cuts);
}

MatrixGeometry GeometryOf(const Request& request) {
  const auto geometry = GeometryFor(request);
  INFO((geometry.ok() ? std::string() : geometry.error().message));
  REQUIRE(geometry.ok());
  return *geometry;
}

std::string RefusalOf(const Request& request) {
  const auto geometry = GeometryFor(request);
  return geometry.ok() ? "" : geometry.error().message;
}

TEST_CASE("cells of a cut matrix are the general sum, for any cuts", "[engine][matrix]") {
  const std::vector<double> m{10, 10, 10};
  CHECK(CbfmCells(SetsOf(3), m) == 11 * 11 * 11);
  CHECK(CbfmCells(SetsOf(3, {0b101, 0b011}), m) == 100 + 30 + 1);  // the source's Table 3
  // Disjoint cuts: formula (4).
  const AttributeSets disjoint = SetsOf(5, {0b00011, 0b11100});
  CHECK(CbfmCells(disjoint, std::vector<double>(5, 7)) == *PublishedCells(disjoint, 7));
  CHECK(*PublishedCells(disjoint, 7) == (64 - 49) * (512 - 343));
  CHECK_THAT(PublishedCells(SetsOf(3, {0b101, 0b011}), 7).error().message,
             ContainsSubstring("share no attribute"));
}

TEST_CASE("published hashes and positions are the source's", "[engine][matrix]") {
  CHECK(PublishedHashes(0.1) == 3);
  CHECK(PublishedHashes(0.5) == 1);
  CHECK(PublishedHashes(0.9) == 1);
  CHECK(PublishedHashes(1e-300) == kMaxHashes);
  CHECK(PublishedHashes(0) == kMaxHashes);
  CHECK(PublishedPositions(0.1, 1000) == Approx(4792.53).epsilon(1e-6));
}

TEST_CASE("sizing takes the most positions that fit the memory", "[engine][matrix]") {
  const auto positions_of = [](Kind kind, const Masks& cuts) {
    const MatrixGeometry geometry = GeometryOf(
        {.kind = kind, .sets = SetsOf(3, cuts), .num_hashes = 6, .num_cells = k16Megabytes});
    CHECK(geometry.published_cells() <= k16Megabytes);
    CHECK(static_cast<double>(geometry.published_cells()) > 0.99 * k16Megabytes);
    return geometry.blocks.back().positions.front();
  };
  CHECK(positions_of(Kind::kSbf, {}) == k16Megabytes);
  CHECK(positions_of(Kind::kMdbf, {}) == k16Megabytes / 3);
  CHECK(positions_of(Kind::kCmdbf, {}) == k16Megabytes / 4);
  CHECK(positions_of(Kind::kBfm, {}) == 511);                  // 512^3
  CHECK(positions_of(Kind::kCartesian, {}) == 512);            // without marks
  CHECK(positions_of(Kind::kCbfm, {0b101, 0b011}) == 11'583);  // m^2 + 3m + 1
}

TEST_CASE("weights share the same memory differently", "[engine][matrix]") {
  Request request{.kind = Kind::kCbfm,
                  .sets = SetsOf(3, {0b101, 0b011}),
                  .num_hashes = 6,
                  .num_cells = 1'000'000};
  const MatrixGeometry alike = GeometryOf(request);
  request.attribute_weights = {0.5, 1, 2};
  const MatrixGeometry weighted = GeometryOf(request);
  CHECK(static_cast<double>(weighted.num_cells()) ==
        Approx(static_cast<double>(alike.num_cells())).epsilon(0.01));
  const Block& pair = weighted.blocks[3];
  CHECK(static_cast<double>(pair.positions[1]) ==
        Approx(2.0 * static_cast<double>(pair.positions[0])).epsilon(0.01));
  CHECK(weighted.blocks[0].positions[0] < alike.blocks[0].positions[0]);

  request.attribute_weights.clear();
  request.set_weights = {{0b001, 100}};
  const MatrixGeometry heavy = GeometryOf(request);
  CHECK(static_cast<double>(heavy.num_cells()) ==
        Approx(static_cast<double>(alike.num_cells())).epsilon(0.01));
  CHECK(heavy.blocks[0].num_cells() > 50 * alike.blocks[0].num_cells());
  CHECK(heavy.blocks[3].num_cells() < alike.blocks[3].num_cells());
}

TEST_CASE("matrix sizes out of range are refused with the bytes they would need",
          "[engine][matrix]") {
  const Request good{.kind = Kind::kCbfm, .sets = SetsOf(3), .num_hashes = 6, .num_cells = 1000};
  CHECK(RefusalOf(good) == "");
  Request request = good;
  request.num_hashes = 65;
  CHECK_THAT(RefusalOf(request), ContainsSubstring("num_hashes is 65"));
  request = good;
  request.positions = {1, 2, 3};
  CHECK_THAT(RefusalOf(request), ContainsSubstring("either num_cells or positions"));
  request.num_cells = 0;
  request.positions = {1, 0, 3};
  CHECK_THAT(RefusalOf(request), ContainsSubstring("positions of row 1 is 0"));
  request = good;
  request.num_cells = 7;  // eight cells are the least: 2^3
  CHECK_THAT(RefusalOf(request), ContainsSubstring("at least 8"));
  request = good;
  request.attribute_weights = {1, 1, std::nan("")};
  CHECK_THAT(RefusalOf(request), ContainsSubstring("weight of attribute 2 is nan"));
  request = good;
  request.set_weights = {{0b1000, 1}};
  CHECK_THAT(RefusalOf(request),
             ContainsSubstring("set {3} has a weight but is not an allowed set"));
  request = good;
  request.num_cells = 0;
  request.positions = std::vector<uint64_t>(3, uint64_t{1} << 20);
  CHECK_THAT(RefusalOf(request), ContainsSubstring("bytes of memory"));
  request.sets = SetsOf(16);
  request.positions = std::vector<uint64_t>(16, 1000);
  CHECK_THAT(RefusalOf(request), ContainsSubstring("bytes of memory"));
}

TEST_CASE("a block's rate is its fill to the power of the hashes", "[engine][matrix]") {
  const Block block{.set = 0b11, .positions = {1000, 1000}};
  CHECK(PredictedFpr(block, 6, 0) == 0);
  const double fill = 1 - std::pow(1 - 1e-6, 6e5);
  CHECK(PredictedFpr(block, 6, 100'000) == Approx(std::pow(fill, 6)).epsilon(1e-9));
  CHECK(PredictedFpr({.set = 1, .positions = {1}}, 6, 1) == 1);
}

}  // namespace
}  // namespace trommel::matrix
