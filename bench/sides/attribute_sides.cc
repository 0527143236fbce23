#include "bench/sides/attribute_sides.h"

#include <utility>

#include "bench/sides/demand.h"
#include "trommel/attribute_filter.h"
#include "trommel/matrix/sizing.h"

namespace trommel::bench {
namespace {

constexpr double kFilterSideRate = 0.0022;

matrix::MatrixGeometry SideGeometry(AttributeSide side, uint64_t num_cells) {
  matrix::Request request;
  request.kind = side == kMdbfSide  ? matrix::Kind::kMdbf
                 : side == kBfmSide ? matrix::Kind::kBfm
                                    : matrix::Kind::kCbfm;
  request.sets = SideSets(side);
  request.num_hashes = kSideHashes;
  request.num_cells = num_cells;
  return ValueOrExit(matrix::GeometryFor(request));
}

}  // namespace

std::vector<std::string> AttributeSideNames() {
  return {"MDBF", "BFM", "CBFM 1 cut", "CBFM 2 cuts", "literal", "filter"};
}

uint64_t SideCellsFor(uint64_t num_tuples) {
  constexpr double kCellsPerTuple = (1 << 27) / 1e7;
  return static_cast<uint64_t>(static_cast<double>(num_tuples) * kCellsPerTuple);
}

AttributeSets SideSets(AttributeSide side) {
  std::vector<AttributeMask> cuts;
  if (side >= kOneCutSide) cuts.push_back(0b011);
  if (side >= kTwoCutsSide) cuts.push_back(0b101);
  return ValueOrExit(AttributeSets::Create(3, cuts));
}

matrix::Matrix MakeSideMatrix(AttributeSide side, uint64_t num_cells) {
  return ValueOrExit(matrix::Matrix::Create(SideGeometry(side, num_cells)));
}

matrix::LiteralMatrix MakeLiteralSide(uint64_t num_cells) {
  const matrix::MatrixGeometry geometry = SideGeometry(kTwoCutsSide, num_cells);
  const std::vector<uint64_t> positions(3, geometry.blocks.front().positions.front());
  return ValueOrExit(matrix::LiteralMatrix::Create(geometry.sets, positions, kSideHashes));
}

std::unique_ptr<TupleIndex> MakeAttributeSide(AttributeSide side, uint64_t num_tuples) {
  const uint64_t num_cells = SideCellsFor(num_tuples);
  if (side == kLiteralSide) {
    return std::make_unique<matrix::LiteralMatrix>(MakeLiteralSide(num_cells));
  }
  if (side != kFilterSide) {
    return std::make_unique<matrix::Matrix>(MakeSideMatrix(side, num_cells));
  }
  AttributeConfig config;
  config.sets = SideSets(side);
  config.capacity = num_tuples;
  config.max_capacity = num_tuples;  // its rate is the one that is compared
  config.target_fpr = kFilterSideRate;
  return std::make_unique<AttributeFilter>(ValueOrExit(AttributeFilter::Create(config)));
}

}  // namespace trommel::bench
