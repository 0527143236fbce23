#include "engine/src/matrix/traversal.h"

#include <algorithm>
#include <array>

#include "kernels/targets.h"

namespace trommel::matrix {
namespace {

// Is one of the bits [begin, end) set?
bool AnyBit(const uint64_t* words, uint64_t begin, uint64_t end) {
  const uint64_t last = (end - 1) / 64;
  const uint64_t from_begin = ~uint64_t{0} << begin % 64;
  const uint64_t to_end = ~uint64_t{0} >> (63 - (end - 1) % 64);
  if (begin / 64 == last) return (words[last] & from_begin & to_end) != 0;
  if ((words[begin / 64] & from_begin) != 0) return true;
  for (uint64_t w = begin / 64 + 1; w < last; ++w) {
    if (words[w] != 0) return true;
  }
  return (words[last] & to_end) != 0;
}

}  // namespace

Traversal::Traversal(const kernels::CellBlock& block, AttributeMask queried)
    : first_(block.first), is_wide_(block.is_wide) {
  bool is_neighbour = false;
  for (const kernels::CellRow& row : std::span(block.rows, block.num_rows)) {
    if ((queried >> row.column & 1) != 0) {
      given_.push_back(row);
      is_neighbour = false;
      continue;
    }
    if (!is_neighbour) axes_.push_back({.num_positions = 1, .stride = 1});
    axes_.back().num_positions *= row.num_positions;
    axes_.back().stride = row.stride;
    is_neighbour = true;
  }
  if (is_neighbour) {  // the last attribute's cells lie side by side
    num_adjacent_ = axes_.back().num_positions;
    axes_.pop_back();
  }
}

bool Traversal::AnyMarked(const uint64_t* words, uint64_t cell, std::span<const Axis> axes) const {
  if (axes.empty()) return AnyBit(words, cell, cell + num_adjacent_);
  for (uint64_t p = 0; p < axes.front().num_positions; ++p) {
    if (AnyMarked(words, cell + p * axes.front().stride, axes.subspan(1))) return true;
  }
  return false;
}

size_t Traversal::Query(const uint64_t* const* columns, size_t num_tuples, const uint64_t* words,
                        size_t num_hashes, uint64_t* maybe_present) const {
  const kernels::CellBlock block = {
      .rows = given_.data(), .num_rows = given_.size(), .first = first_, .is_wide = is_wide_};
  std::array<uint64_t, kernels::kMaxCellTuples> cells;
  std::array<bool, kernels::kMaxCellTuples> is_shown;
  std::fill_n(is_shown.begin(), num_tuples, true);
  for (size_t j = 0; j < num_hashes; ++j) {
    kernels::ActiveKernels().cells.cells(columns, num_tuples, block, j, cells.data());
    for (size_t i = 0; i < num_tuples; ++i) {
      if (is_shown[i]) is_shown[i] = AnyMarked(words, cells[i], axes_);
    }
  }
  std::fill_n(maybe_present, (num_tuples + 63) / 64, 0);
  size_t num_present = 0;
  for (size_t i = 0; i < num_tuples; ++i) {
    maybe_present[i / 64] |= uint64_t{is_shown[i]} << i % 64;
    num_present += is_shown[i] ? 1 : 0;
  }
  return num_present;
}

}  // namespace trommel::matrix
