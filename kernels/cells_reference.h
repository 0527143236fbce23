// The specification of cells: one tuple, one hash and one attribute at a time, from the published
// definitions. Kernels and engine are right iff they find what this finds. Written in another
// style on purpose; slow.
#ifndef TROMMEL_KERNELS_CELLS_REFERENCE_H_
#define TROMMEL_KERNELS_CELLS_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace trommel::kernels {

// One block: its columns, and the number of positions of each.
struct CellGrid {
  std::vector<uint32_t> columns;
  std::vector<uint64_t> positions;
};

class CellsReference {
 public:
  CellsReference(const CellGrid& grid, uint32_t num_hashes)
      : grid_(grid), num_hashes_(num_hashes) {}

  // tuple[c] is the digest in column c. Cells are numbered from 0, the last column's positions side
  // by side.
  uint64_t CellOf(const std::vector<uint64_t>& tuple, uint32_t hash_idx) const;

  void Insert(const std::vector<uint64_t>& tuple);
  bool MayContain(const std::vector<uint64_t>& tuple) const;

  const std::set<uint64_t>& marked() const { return marked_; }

 private:
  CellGrid grid_;
  uint32_t num_hashes_;
  std::set<uint64_t> marked_;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_CELLS_REFERENCE_H_
