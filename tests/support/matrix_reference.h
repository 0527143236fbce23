// The published structures for tuples by their definitions: a set of marked cells per block, one
// tuple at a time.
#ifndef TROMMEL_TESTS_SUPPORT_MATRIX_REFERENCE_H_
#define TROMMEL_TESTS_SUPPORT_MATRIX_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "kernels/cells_reference.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_sets.h"
#include "trommel/matrix/geometry.h"

namespace trommel::tests {

class MatrixReference {
 public:
  explicit MatrixReference(const matrix::MatrixGeometry& geometry);

  void Insert(const TupleRow& row);
  // False for sets that the kind does not answer.
  bool CanAnswer(AttributeMask asked) const;
  bool MayContain(AttributeMask asked, const TupleRow& row) const;

  // A block's marked cells, numbered from 0.
  const std::set<uint64_t>& marked(size_t block_idx) const { return blocks_[block_idx].marked(); }

 private:
  // The digests in the columns that grids name: the attributes', and the joint one at the end.
  TupleRow ColumnsOf(const TupleRow& row) const;
  bool Shows(AttributeMask set, bool is_joint, const TupleRow& columns) const;
  // The Cartesian join: is there, for every hash, a marked cell with the coordinates given?
  bool ShowsSome(AttributeMask asked, const TupleRow& columns) const;

  matrix::MatrixGeometry geometry_;
  std::vector<kernels::CellsReference> blocks_;
};

// The geometry by hand, block by block: every attribute has positions[i] in every block, and a
// joint block as many cells as attribute 0 has positions.
matrix::MatrixGeometry MadeGeometry(matrix::Kind kind, const AttributeSets& sets,
                                    const std::vector<uint64_t>& positions, uint32_t num_hashes);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_MATRIX_REFERENCE_H_
