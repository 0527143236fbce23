// Traversal: how the Cartesian join answers queries of some of its attributes. For every hash, the
// cells that have the given coordinates are visited until a marked one is found.
//
//   m = 4 x 3 x 5, given attribute 1: under a hash its position is 2
//     one free axis, attribute 0: 4 positions, 15 cells apart;   5 adjacent cells each, attribute 2
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
  // Of a block whose rows are attributes. Requires some of them in `queried`, but not all.
  Traversal(const kernels::CellBlock& block, AttributeMask queried);

  // As the kernels' query, of at most kMaxCellTuples tuples. Cost: per tuple and hash, up to as
  // many steps as the product of the positions of the attributes that are not given.
  size_t Query(const uint64_t* const* columns, size_t num_tuples, const uint64_t* words,
               size_t num_hashes, uint64_t* maybe_present) const;

 private:
  // Neighbouring attributes that are not given form one axis.
  struct Axis {
    uint64_t num_positions;
    uint64_t stride;
  };
  bool AnyMarked(const uint64_t* words, uint64_t cell, std::span<const Axis> axes) const;

  std::vector<kernels::CellRow> given_;
  std::vector<Axis> axes_;     // those whose cells are apart
  uint64_t num_adjacent_ = 1;  // cells side by side, of the last axis
  uint64_t first_ = 0;
  bool is_wide_ = false;
};

}  // namespace trommel::matrix

#endif  // TROMMEL_ENGINE_SRC_MATRIX_TRAVERSAL_H_
