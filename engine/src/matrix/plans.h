// How a matrix answers questions for a set of attributes: made on first use, kept while no tuple
// comes in.
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
  // In the order in which they are asked; saturated ones are left out.
  std::vector<size_t> block_idxs;
  std::vector<AttributeMask> parts;        // their sets; of a traversal, the set that was asked for
  std::vector<kernels::CellBlock> blocks;  // their views
  bool has_joint = false;                  // one of them is joint
  std::optional<Traversal> traversal;      // instead of the kernels' query
};

bool CanAnswer(const Geometry& geometry, AttributeMask asked) noexcept;

// The blocks that a question for the set is split into, in the geometry's order. The geometry's
// kind must answer it.
std::vector<size_t> BlocksFor(const Geometry& geometry, AttributeMask asked);

Plan MakePlan(const CellStore& store, AttributeMask asked);

// Plans of one store. Any number of threads may ask; Drop and the store's changes are exclusive.
class Plans {
 public:
  explicit Plans(uint32_t num_attributes) : plans_(num_attributes) {}

  // Lives until the next Drop.
  const Plan& For(const CellStore& store, AttributeMask asked) const {
    return plans_.For(asked, [&] { return MakePlan(store, asked); });
  }
  void Drop() { plans_.Drop(); }

 private:
  PerSetCache<Plan> plans_;
};

}  // namespace trommel::matrix

#endif  // TROMMEL_ENGINE_SRC_MATRIX_PLANS_H_
