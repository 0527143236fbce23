#include "trommel/matrix/geometry.h"

#include <algorithm>
#include <bit>
#include <string>

#include "engine/src/base/out_of_range.h"
#include "engine/src/matrix/published_sets.h"

namespace trommel::matrix {
namespace {

Error BadBlocks(Kind kind, std::string message) {
  return {ErrorCode::kInvalidArgument, std::string(KindName(kind)) + ": " + std::move(message)};
}

Status CheckBlock(const MatrixGeometry& geometry, const Block& block) {
  const std::string name = AttributeMaskText(block.set) + (block.is_joint ? " (joint)" : "");
  const size_t num_rows = block.is_joint ? 1 : static_cast<size_t>(std::popcount(block.set));
  if (block.positions.size() != num_rows) {
    return BadBlocks(geometry.kind, "block " + name + " has positions for " +
                                        std::to_string(block.positions.size()) +
                                        " attributes; it must have " + std::to_string(num_rows));
  }
  uint64_t num_cells = 1;
  for (const uint64_t positions : block.positions) {
    if (positions == 0 || positions > kMaxPositions) {
      return OutOfRange("positions of block " + name, positions, uint64_t{1}, kMaxPositions);
    }
    if (positions > kMaxCells / num_cells) {
      return BadBlocks(geometry.kind,
                       "block " + name + " has more than " + std::to_string(kMaxCells) + " cells");
    }
    num_cells *= positions;
  }
  return Ok();
}

}  // namespace

std::string_view KindName(Kind kind) noexcept {
  switch (kind) {
    case Kind::kSbf:
      return "SBF";
    case Kind::kMdbf:
      return "MDBF";
    case Kind::kCmdbf:
      return "CMDBF";
    case Kind::kBfm:
      return "BFM";
    case Kind::kCartesian:
      return "CBF";
    case Kind::kCbfm:
      return "CBFM";
  }
  return "unknown";
}

uint64_t Block::num_cells() const noexcept {
  uint64_t product = 1;
  for (const uint64_t number : positions) product *= number;
  return product;
}

uint64_t MatrixGeometry::num_cells() const noexcept {
  uint64_t sum = 0;
  for (const Block& block : blocks) sum += block.num_cells();
  return sum;
}

uint64_t MatrixGeometry::published_cells() const noexcept {
  return num_cells() + (kind == Kind::kBfm || kind == Kind::kCbfm ? 1 : 0);
}

uint64_t MatrixGeometry::num_bytes() const noexcept {
  uint64_t sum = 0;
  for (const Block& block : blocks) sum += (block.num_cells() + 511) / 512 * 64;
  return sum;
}

std::vector<Block> EmptyBlocks(Kind kind, const AttributeSets& sets) {
  std::vector<Block> blocks;
  switch (kind) {
    case Kind::kSbf:
      break;
    case Kind::kMdbf:
    case Kind::kCmdbf:
      for (uint32_t i = 0; i < sets.num_attributes(); ++i)
        blocks.push_back({.set = AttributeMask{1} << i});
      break;
    case Kind::kCartesian:
      blocks.push_back({.set = sets.full()});
      break;
    case Kind::kBfm:
    case Kind::kCbfm:
      for (const AttributeMask set : sets.allowed()) blocks.push_back({.set = set});
      break;
  }
  if (kind == Kind::kSbf || kind == Kind::kCmdbf) {
    blocks.push_back({.set = sets.full(), .is_joint = true});
  }
  return blocks;
}

Status Validate(const MatrixGeometry& geometry) {
  if (geometry.kind > Kind::kCbfm) {
    return OutOfRange("kind", static_cast<unsigned>(geometry.kind), "between 0 (SBF) and 5 (CBFM)");
  }
  if (geometry.num_hashes == 0 || geometry.num_hashes > kMaxHashes) {
    return OutOfRange("num_hashes", geometry.num_hashes, 1U, kMaxHashes);
  }
  if (Status good = CheckPublishedSets(geometry.sets); !good.ok()) return good;
  if (geometry.kind != Kind::kCbfm && !geometry.sets.cuts().empty()) {
    return BadBlocks(geometry.kind, "has no cuts; CBFM has");
  }
  const std::vector<Block> expected = EmptyBlocks(geometry.kind, geometry.sets);
  const auto is_same = [](const Block& a, const Block& b) {
    return a.set == b.set && a.is_joint == b.is_joint;
  };
  if (!std::ranges::equal(geometry.blocks, expected, is_same)) {
    return BadBlocks(geometry.kind, "blocks must be the kind's " + std::to_string(expected.size()) +
                                        ", ascending by their sets, a joint one last");
  }
  uint64_t num_cells = 0;
  for (const Block& block : geometry.blocks) {
    if (Status status = CheckBlock(geometry, block); !status.ok()) return status;
    num_cells += block.num_cells();  // at most 2^16 blocks of 2^42
  }
  if (num_cells > kMaxCells)
    return OutOfRange("cells of all blocks", num_cells, uint64_t{1}, kMaxCells);
  return Ok();
}

}  // namespace trommel::matrix
