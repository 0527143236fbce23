#include "engine/src/matrix/cell_store.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "kernels/targets.h"

namespace trommel::matrix {
namespace {

constexpr uint64_t kLineCells = 512;
// How many cells ahead of marking their cache lines are fetched.
constexpr size_t kFetchAhead = 24;
// Below, one thread marks all cells before others would have started.
constexpr uint64_t kMinSpreadCells = uint64_t{1} << 14;

// The rows of a block: of a joint one, the joint column's.
std::vector<kernels::CellRow> RowsOf(const Block& block) {
  std::vector<kernels::CellRow> rows;
  if (block.is_joint) {
    rows.push_back({.column = kJointColumn, .num_positions = block.positions[0], .stride = 1});
    return rows;
  }
  for (AttributeMask rest = block.set; rest != 0; rest &= rest - 1) {
    rows.push_back({.column = static_cast<uint32_t>(std::countr_zero(rest)),
                    .num_positions = block.positions[rows.size()],
                    .stride = 1});
  }
  for (size_t r = rows.size() - 1; r-- > 0;) {
    rows[r].stride = rows[r + 1].stride * rows[r + 1].num_positions;
  }
  return rows;
}

}  // namespace

CellColumns ColumnsFrom(const Tuples& tuples, size_t first, const uint64_t* joint) {
  CellColumns columns;
  for (size_t a = 0; a < kMaxMatrixAttributes; ++a) {
    columns[a] = tuples.columns[a] == nullptr ? nullptr : tuples.columns[a] + first;
  }
  columns[kJointColumn] = joint;
  return columns;
}

Result<CellStore> CellStore::Create(const MatrixGeometry& geometry, uint64_t limit_bytes) {
  if (Status valid = Validate(geometry); !valid) return valid.error();
  if (Status fits = CheckMemoryLimit("the matrix needs", geometry.num_bytes(), limit_bytes);
      !fits) {
    return fits.error();
  }
  Result<BlockMemory> memory = BlockMemory::Allocate(geometry.num_bytes() / sizeof(uint32_t));
  if (!memory) return memory.error();
  kernels::UseKernels<kernels::AddCells>();
  CellStore store;
  store.geometry_ = geometry;
  store.memory_ = *std::move(memory);
  uint64_t first = 0;
  uint64_t first_cell = 0;
  for (const Block& block : geometry.blocks) {
    const std::vector<kernels::CellRow> rows = RowsOf(block);
    store.rows_.insert(store.rows_.end(), rows.begin(), rows.end());
    store.first_cells_.push_back(first_cell);
    store.num_cells_.push_back(block.num_cells());
    store.blocks_.push_back({.rows = nullptr,
                             .num_rows = rows.size(),
                             .first = first,
                             .is_wide = rows.front().stride >> 32 != 0});
    first += (block.num_cells() + kLineCells - 1) / kLineCells * kLineCells;
    first_cell += block.num_cells();
  }
  const kernels::CellRow* rows = store.rows_.data();
  for (kernels::CellBlock& block : store.blocks_) {
    block.rows = rows;
    rows += block.num_rows;
  }
  store.num_marked_.assign(store.blocks_.size(), 0);
  return store;
}

void CellStore::MarkBlock(size_t block_idx, const CellColumns& columns, size_t num_tuples) {
  const kernels::CellKernels& run = kernels::ActiveKernels().cells;
  const kernels::CellBlock& block = blocks_[block_idx];
  auto* const words = reinterpret_cast<uint64_t*>(memory_.data());
  std::array<uint64_t, kernels::kMaxCellTuples> cells;
  CellColumns chunk = columns;
  uint64_t num_marked = num_marked_[block_idx];
  for (size_t first = 0; first < num_tuples; first += cells.size()) {
    if (num_marked == num_cells_[block_idx]) break;  // saturated
    const size_t count = std::min(cells.size(), num_tuples - first);
    for (size_t r = 0; r < block.num_rows; ++r) {
      const uint32_t column = block.rows[r].column;
      chunk[column] = columns[column] + first;
    }
    for (size_t j = 0; j < geometry_.num_hashes; ++j) {
      run.cells(chunk.data(), count, block, j, cells.data());
      for (size_t i = 0; i < count; ++i) {
        if (i + kFetchAhead < count) __builtin_prefetch(words + cells[i + kFetchAhead] / 64, 1);
        uint64_t& word = words[cells[i] / 64];
        const uint64_t bit = uint64_t{1} << cells[i] % 64;
        num_marked += (word & bit) == 0 ? 1 : 0;
        word |= bit;
      }
    }
  }
  num_marked_[block_idx] = num_marked;
}

void CellStore::Mark(const CellColumns& columns, size_t num_tuples, Executor* executor) {
  const uint64_t num_marks = uint64_t{num_tuples} * geometry_.num_hashes * num_blocks();
  if (executor != nullptr && num_marks >= kMinSpreadCells) {
    // Tasks write to blocks of their own, which share no cache line.
    executor->ForEach(num_blocks(), [&](size_t b) { MarkBlock(b, columns, num_tuples); });
  } else {
    for (size_t b = 0; b < num_blocks(); ++b) MarkBlock(b, columns, num_tuples);
  }
}

void CellStore::Clear() {
  memory_.Clear();
  std::ranges::fill(num_marked_, 0);
}

double CellStore::Fill(size_t block_idx) const {
  return static_cast<double>(num_marked(block_idx)) / static_cast<double>(num_cells(block_idx));
}

double CellStore::CurrentFpr(size_t block_idx) const {
  return std::pow(Fill(block_idx), geometry_.num_hashes);
}

}  // namespace trommel::matrix
