// Which sets of attributes the published structures have blocks for.
#ifndef TROMMEL_ENGINE_SRC_MATRIX_PUBLISHED_SETS_H_
#define TROMMEL_ENGINE_SRC_MATRIX_PUBLISHED_SETS_H_

#include <string>

#include "trommel/attribute_sets.h"
#include "trommel/matrix/geometry.h"
#include "trommel/result.h"

namespace trommel::matrix {

// Fails with kInvalidArgument unless there are at most kMaxMatrixAttributes, and the sets are by
// cuts.
inline Status CheckPublishedSets(const AttributeSets& sets) {
  if (sets.num_attributes() > kMaxMatrixAttributes) {
    return Error{ErrorCode::kInvalidArgument, "the sets have " +
                                                  std::to_string(sets.num_attributes()) +
                                                  " attributes; a matrix has between 1 and " +
                                                  std::to_string(kMaxMatrixAttributes)};
  }
  if (sets.is_by_cuts()) return Ok();
  return Error{ErrorCode::kInvalidArgument,
               std::string("the sets ") + (sets.is_list() ? "are a list" : "have a limit") +
                   "; a matrix has all sets that contain no cut (AttributeSets::Create)"};
}

}  // namespace trommel::matrix

#endif  // TROMMEL_ENGINE_SRC_MATRIX_PUBLISHED_SETS_H_
