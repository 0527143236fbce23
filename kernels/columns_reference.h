// The specification of transposed presence bits: a set of positions per column, one key and one
// column at a time. Kernels and engine are right iff they find what this finds. Slow.
#ifndef TROMMEL_KERNELS_COLUMNS_REFERENCE_H_
#define TROMMEL_KERNELS_COLUMNS_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace trommel::kernels {

class ColumnsReference {
 public:
  ColumnsReference(uint64_t num_blocks, size_t num_slices, size_t num_columns)
      : num_blocks_(num_blocks), num_slices_(num_slices), present_(num_columns) {}

  void Insert(size_t column, uint64_t digest);
  bool MayContain(size_t column, uint64_t digest) const;

  // The rows as they lie in memory, each of row_words words.
  std::vector<uint64_t> Rows(size_t row_words) const;

 private:
  // block * counters + counter
  uint64_t PositionOf(uint64_t digest, size_t slice_idx) const;

  uint64_t num_blocks_;
  size_t num_slices_;
  std::vector<std::set<uint64_t>> present_;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_COLUMNS_REFERENCE_H_
