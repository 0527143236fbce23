// Which parts of a lookup's ranges a server holds.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_HELD_RANGES_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_HELD_RANGES_H_

#include <span>
#include <vector>

#include "trommel/index/schema.h"

namespace trommel::index {

// Sorts the ranges and joins those that touch. Requires that they do not overlap. Allocates
// nothing.
std::vector<KeyRange> JoinRanges(std::vector<KeyRange> ranges) noexcept;

struct RangeParts {
  std::vector<KeyRange> held;
  std::vector<KeyRange> not_held;
};

// Cuts `ranges` by what is in `held`. Requires that both ascend and do not overlap.
RangeParts CutRanges(std::span<const KeyRange> ranges, std::span<const KeyRange> held);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_HELD_RANGES_H_
