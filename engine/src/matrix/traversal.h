// The Cartesian join's questions for some of the attributes: all cells that have the given
// coordinates are visited, for every hash, until a marked one is found.
//
//   m = 4 x 3 x 5, given attribute 1: under a hash its position is 2
//     one free axis, attribute 0: 4 positions, 15 cells apart;   a run of 5 cells each, attribute 2
#ifndef TROMMEL_ENGINE_SRC_MATRIX_TRAVERSAL_H_
#define TROMMEL_ENGINE_SRC_MATRIX_TRAVERSAL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cells.h"
#include "trommel/attribute_sets.h"

namespace trommel::matrix {

class Traversal {
 public:
  // Of the block whose rows are attributes; `asked` must have some of them, not all.
  Traversal(const kernels::CellBlock& block, AttributeMask asked);

  // As the kernels' query, with at most kMaxCellTuples tuples. Takes, for a tuple and a hash, up to
  // as many steps as the attributes that are not given have cells.
  size_t Query(const uint64_t* const* columns, size_t num_tuples, const uint64_t* words,
               size_t num_hashes, uint64_t* maybe_present) const;

 private:
  // Neighbouring attributes that are not given count as one.
  struct Axis {
    uint64_t num_positions;
    uint64_t stride;
  };
  bool AnyMarked(const uint64_t* words, uint64_t cell, std::span<const Axis> axes) const;

  std::vector<kernels::CellRow> given_;
  std::vector<Axis> axes_;  // those whose cells are apart
  uint64_t run_ = 1;        // neighbouring cells
  uint64_t first_ = 0;
  bool is_wide_ = false;
};

}  // namespace trommel::matrix

#endif  // TROMMEL_ENGINE_SRC_MATRIX_TRAVERSAL_H_
