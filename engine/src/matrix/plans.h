// Plans: how a matrix answers queries of a set of attributes. Made on first use, kept until the
// next insert.
#ifndef TROMMEL_ENGINE_SRC_MATRIX_PLANS_H_
#define TROMMEL_ENGINE_SRC_MATRIX_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/src/matrix/cell_store.h"
#include "engine/src/matrix/traversal.h"
#include "engine/src/tuples/per_set_cache.h"
#include "kernels/cells.h"
#include "trommel/attribute_sets.h"
#include "trommel/matrix/geometry.h"

namespace trommel::matrix {

struct Plan {
  // In the order in which they are probed, without saturated ones.
  std::vector<size_t> block_idxs;
  std::vector<AttributeMask> parts;        // their sets; of a traversal, the queried set
  std::vector<kernels::CellBlock> blocks;  // their views
  bool has_joint = false;                  // one of them is joint
  std::optional<Traversal> traversal;      // instead of the kernels' query
};

bool CanAnswer(const MatrixGeometry& geometry, AttributeMask queried) noexcept;

// The blocks that a query of the set is split into, in the geometry's order. Requires
// CanAnswer(geometry, queried).
std::vector<size_t> BlocksFor(const MatrixGeometry& geometry, AttributeMask queried);

Plan MakePlan(const CellStore& store, AttributeMask queried);

// The plans of one store. Thread safety: any number of threads may call For; Drop and changes of
// the store are exclusive.
class Plans {
 public:
  explicit Plans(uint32_t num_attributes) : plans_(num_attributes) {}

  // Valid until the next Drop.
  const Plan& For(const CellStore& store, AttributeMask queried) const {
    return plans_.For(queried, [&] { return MakePlan(store, queried); });
  }
  void Drop() { plans_.Drop(); }

 private:
  PerSetCache<Plan> plans_;
};

}  // namespace trommel::matrix

#endif  // TROMMEL_ENGINE_SRC_MATRIX_PLANS_H_
