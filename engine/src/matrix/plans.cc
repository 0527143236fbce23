#include "engine/src/matrix/plans.h"

#include <algorithm>

namespace trommel::matrix {
namespace {

// Where the set's own block is: they are in the order of their sets, joint ones last.
size_t BlockOf(const MatrixGeometry& geometry, AttributeMask set) {
  const auto end = std::ranges::find(geometry.blocks, true, &Block::is_joint);
  const auto found = std::ranges::lower_bound(geometry.blocks.begin(), end, set, {}, &Block::set);
  return static_cast<size_t>(found - geometry.blocks.begin());
}

}  // namespace

bool CanAnswer(const MatrixGeometry& geometry, AttributeMask queried) noexcept {
  const AttributeMask full = geometry.sets.full();
  return geometry.kind == Kind::kSbf ? queried == full : (queried & ~full) == 0;
}

std::vector<size_t> BlocksFor(const MatrixGeometry& geometry, AttributeMask queried) {
  std::vector<size_t> blocks;
  if (queried == 0) return blocks;
  switch (geometry.kind) {
    case Kind::kSbf:
    case Kind::kCartesian:
      blocks.push_back(0);
      break;
    case Kind::kMdbf:
    case Kind::kCmdbf:
      for (AttributeMask rest = queried; rest != 0; rest &= rest - 1) {
        blocks.push_back(BlockOf(geometry, rest & -rest));
      }
      if (geometry.kind == Kind::kCmdbf && queried == geometry.sets.full()) {
        blocks.push_back(geometry.blocks.size() - 1);
      }
      break;
    case Kind::kBfm:
    case Kind::kCbfm:
      for (const AttributeMask part : geometry.sets.PartsOf(queried)) {
        blocks.push_back(BlockOf(geometry, part));
      }
      break;
  }
  return blocks;
}

Plan MakePlan(const CellStore& store, AttributeMask queried) {
  const MatrixGeometry& geometry = store.geometry();
  Plan plan;
  plan.block_idxs = BlocksFor(geometry, queried);
  std::erase_if(plan.block_idxs, [&](size_t b) { return store.IsSaturated(b); });
  // All have the same number of hashes: lower fill, lower rate.
  std::ranges::stable_sort(plan.block_idxs, {}, [&](size_t b) { return store.Fill(b); });
  const bool is_traversed = geometry.kind == Kind::kCartesian && queried != geometry.sets.full();
  for (const size_t b : plan.block_idxs) {
    plan.blocks.push_back(store.block(b));
    plan.parts.push_back(is_traversed ? queried : geometry.blocks[b].set);
    plan.has_joint = plan.has_joint || geometry.blocks[b].is_joint;
    if (is_traversed) plan.traversal.emplace(store.block(b), queried);
  }
  return plan;
}

}  // namespace trommel::matrix
