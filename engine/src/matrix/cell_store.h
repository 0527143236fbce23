// The contents of a matrix: the cells of its blocks in memory, and how many of each are marked. It
// knows columns of digests, not attributes; which blocks are probed, in which order, is in
// plans.h.
#ifndef TROMMEL_ENGINE_SRC_MATRIX_CELL_STORE_H_
#define TROMMEL_ENGINE_SRC_MATRIX_CELL_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "kernels/cells.h"
#include "trommel/attribute_sets.h"
#include "trommel/executor.h"
#include "trommel/matrix/geometry.h"
#include "trommel/result.h"
#include "trommel/tuples.h"

namespace trommel::matrix {

// Joint blocks read a column of their own: the projections onto all their attributes.
inline constexpr uint32_t kJointColumn = kMaxMatrixAttributes;
using CellColumns = std::array<const uint64_t*, kMaxMatrixAttributes + 1>;

// The columns of tuples from `first` on; `joint` may be null.
CellColumns ColumnsFrom(const Tuples& tuples, size_t first, const uint64_t* joint);

class CellStore {
 public:
  // No cell is marked. Fails as Validate does, and with kOutOfMemory over limit_bytes (0: the
  // machine's physical memory).
  static Result<CellStore> Create(const MatrixGeometry& geometry, uint64_t limit_bytes);

  // Blocks have pointers into the store.
  CellStore(CellStore&&) noexcept = default;
  CellStore& operator=(CellStore&&) noexcept = default;

  // Marks the tuples' cells in every block; with an executor, one task per block.
  void Mark(const CellColumns& columns, size_t num_tuples, Executor* executor);
  void Clear();

  const MatrixGeometry& geometry() const { return geometry_; }
  size_t num_blocks() const { return blocks_.size(); }
  // The kernels' view: `first` is a bit of words().
  const kernels::CellBlock& block(size_t block_idx) const { return blocks_[block_idx]; }
  const uint64_t* words() const { return reinterpret_cast<const uint64_t*>(memory_.data()); }
  uint64_t num_bytes() const { return memory_.num_bytes(); }

  // The number of a block's first cell where cells are numbered without gaps.
  uint64_t first_cell(size_t block_idx) const { return first_cells_[block_idx]; }
  uint64_t num_cells(size_t block_idx) const { return num_cells_[block_idx]; }
  uint64_t num_marked(size_t block_idx) const { return num_marked_[block_idx]; }
  bool IsSaturated(size_t block_idx) const { return num_marked(block_idx) == num_cells(block_idx); }
  double Fill(size_t block_idx) const;
  // The share of non-members that the block passes now: fill to the power of k.
  double CurrentFpr(size_t block_idx) const;

 private:
  CellStore() = default;
  void MarkBlock(size_t block_idx, const CellColumns& columns, size_t num_tuples);

  MatrixGeometry geometry_;
  BlockMemory memory_;
  std::vector<kernels::CellRow> rows_;  // of all blocks
  std::vector<kernels::CellBlock> blocks_;
  std::vector<uint64_t> first_cells_;  // by block
  std::vector<uint64_t> num_cells_;    // by block
  std::vector<uint64_t> num_marked_;   // by block
};

}  // namespace trommel::matrix

#endif  // TROMMEL_ENGINE_SRC_MATRIX_CELL_STORE_H_
