#include "support/matrix_reference.h"

#include <algorithm>

#include "engine/src/tuples/projection.h"

namespace trommel::tests {
namespace {

bool Contains(AttributeMask set, uint32_t attribute) { return (set >> attribute & 1) != 0; }

kernels::CellGrid GridOf(const matrix::Block& block, uint32_t num_attributes) {
  if (block.is_joint) return {{num_attributes}, block.positions};
  kernels::CellGrid grid{{}, block.positions};
  for (uint32_t a = 0; a < num_attributes; ++a) {
    if (Contains(block.set, a)) grid.columns.push_back(a);
  }
  return grid;
}

// Are there cells of their own for the set?
bool HasBlock(matrix::Kind kind, const AttributeSets& sets, AttributeMask set) {
  const bool is_single = (set & (set - 1)) == 0;
  switch (kind) {
    case matrix::Kind::kSbf:
      return false;
    case matrix::Kind::kMdbf:
    case matrix::Kind::kCmdbf:
      return is_single;
    case matrix::Kind::kBfm:
      return true;
    case matrix::Kind::kCartesian:
      return set == sets.full();
    case matrix::Kind::kCbfm:
      return std::ranges::none_of(sets.cuts(),
                                  [&](AttributeMask cut) { return (set & cut) == cut; });
  }
  return false;
}

}  // namespace

MatrixReference::MatrixReference(const matrix::MatrixGeometry& geometry) : geometry_(geometry) {
  for (const matrix::Block& block : geometry.blocks) {
    blocks_.emplace_back(GridOf(block, geometry.sets.num_attributes()), geometry.num_hashes);
  }
}

TupleRow MatrixReference::ColumnsOf(const TupleRow& row) const {
  TupleRow columns = row;
  uint64_t joint = 0;
  const TupleColumns batch(std::span(&row, 1));
  ProjectionDigests(geometry_.sets.full(), batch.view(), {&joint, 1});
  columns.push_back(joint);
  return columns;
}

void MatrixReference::Insert(const TupleRow& row) {
  for (kernels::CellsReference& block : blocks_) block.Insert(ColumnsOf(row));
}

bool MatrixReference::CanAnswer(AttributeMask asked) const {
  if (geometry_.kind == matrix::Kind::kSbf) return asked == geometry_.sets.full();
  return asked <= geometry_.sets.full();
}

bool MatrixReference::Shows(AttributeMask set, bool is_joint, const TupleRow& columns) const {
  for (size_t b = 0; b < blocks_.size(); ++b) {
    if (geometry_.blocks[b].set != set || geometry_.blocks[b].is_joint != is_joint) continue;
    return blocks_[b].MayContain(columns);
  }
  return true;
}

bool MatrixReference::ShowsSome(AttributeMask asked, const TupleRow& columns) const {
  const std::vector<uint64_t>& positions = geometry_.blocks[0].positions;
  const auto coordinates = [&](uint64_t cell) {
    std::vector<uint64_t> result(positions.size());
    for (size_t a = positions.size(); a-- > 0; cell /= positions[a]) {
      result[a] = cell % positions[a];
    }
    return result;
  };
  for (uint32_t j = 0; j < geometry_.num_hashes; ++j) {
    const std::vector<uint64_t> want = coordinates(blocks_[0].CellOf(columns, j));
    const bool is_found = std::ranges::any_of(marked(0), [&](uint64_t cell) {
      const std::vector<uint64_t> has = coordinates(cell);
      for (uint32_t a = 0; a < has.size(); ++a) {
        if (Contains(asked, a) && has[a] != want[a]) return false;
      }
      return true;
    });
    if (!is_found) return false;
  }
  return true;
}

bool MatrixReference::MayContain(AttributeMask asked, const TupleRow& row) const {
  if (asked == 0) return true;
  const TupleRow columns = ColumnsOf(row);
  const AttributeMask full = geometry_.sets.full();
  if (geometry_.kind == matrix::Kind::kCartesian && asked != full) return ShowsSome(asked, columns);
  // Of the subsets that have a block, those that are in no other one.
  for (AttributeMask set = asked; set != 0; set = (set - 1) & asked) {
    if (!HasBlock(geometry_.kind, geometry_.sets, set)) continue;
    bool is_largest = true;
    for (uint32_t a = 0; a < geometry_.sets.num_attributes(); ++a) {
      const AttributeMask larger = set | AttributeMask{1} << a;
      if (!Contains(asked, a) || larger == set) continue;
      is_largest = is_largest && !HasBlock(geometry_.kind, geometry_.sets, larger);
    }
    if (is_largest && !Shows(set, false, columns)) return false;
  }
  return asked != full || Shows(full, true, columns);
}

matrix::MatrixGeometry MadeGeometry(matrix::Kind kind, const AttributeSets& sets,
                                    const std::vector<uint64_t>& positions, uint32_t num_hashes) {
  matrix::MatrixGeometry geometry{
      .kind = kind, .sets = sets, .num_hashes = num_hashes, .blocks = {}};
  for (AttributeMask set = 1; set <= sets.full(); ++set) {
    if (!HasBlock(kind, sets, set)) continue;
    matrix::Block block{.set = set, .is_joint = false, .positions = {}};
    for (uint32_t a = 0; a < sets.num_attributes(); ++a) {
      if (Contains(set, a)) block.positions.push_back(positions[a]);
    }
    geometry.blocks.push_back(block);
  }
  if (kind == matrix::Kind::kSbf || kind == matrix::Kind::kCmdbf) {
    geometry.blocks.push_back({.set = sets.full(), .is_joint = true, .positions = {positions[0]}});
  }
  return geometry;
}

}  // namespace trommel::tests
