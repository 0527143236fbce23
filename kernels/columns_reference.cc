#include "kernels/columns_reference.h"

#include "kernels/layout.h"

namespace trommel::kernels {

uint64_t ColumnsReference::PositionOf(uint64_t digest, size_t slice_idx) const {
  const uint64_t block = BlockIndex(digest, num_blocks_);
  const uint64_t slice = block * num_slices_ + slice_idx;
  return slice * SlicePositions(num_slices_) + Position(digest, slice_idx, num_slices_);
}

void ColumnsReference::Insert(size_t column, uint64_t digest) {
  for (size_t s = 0; s < num_slices_; ++s) present_[column].insert(PositionOf(digest, s));
}

bool ColumnsReference::MayContain(size_t column, uint64_t digest) const {
  for (size_t s = 0; s < num_slices_; ++s) {
    if (!present_[column].contains(PositionOf(digest, s))) return false;
  }
  return true;
}

std::vector<uint64_t> ColumnsReference::Rows(size_t row_words) const {
  std::vector<uint64_t> rows(num_blocks_ * num_slices_ * SlicePositions(num_slices_) * row_words);
  for (size_t c = 0; c < present_.size(); ++c) {
    for (const uint64_t position : present_[c]) {
      rows[position * row_words + c / 64] |= uint64_t{1} << c % 64;
    }
  }
  return rows;
}

}  // namespace trommel::kernels
