// What a matrix is made of.
#ifndef TROMMEL_ENGINE_SRC_MATRIX_MATRIX_IMPL_H_
#define TROMMEL_ENGINE_SRC_MATRIX_MATRIX_IMPL_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "engine/src/matrix/cell_store.h"
#include "engine/src/matrix/plans.h"
#include "trommel/executor.h"
#include "trommel/matrix/matrix.h"

namespace trommel::matrix {

struct Matrix::Impl {
  explicit Impl(CellStore cells)
      : store(std::move(cells)), plans(store.geometry().sets.num_attributes()) {}

  CellStore store;
  Plans plans;
  std::shared_ptr<Executor> executor;
  uint64_t num_tuples = 0;
};

}  // namespace trommel::matrix

#endif  // TROMMEL_ENGINE_SRC_MATRIX_MATRIX_IMPL_H_
