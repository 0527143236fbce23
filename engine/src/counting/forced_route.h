// The route of a filter's updates, for measurements and tests. The library chooses it by itself.
#ifndef TROMMEL_ENGINE_SRC_COUNTING_FORCED_ROUTE_H_
#define TROMMEL_ENGINE_SRC_COUNTING_FORCED_ROUTE_H_

#include "engine/src/batches/update_batch.h"
#include "trommel/counting_filter.h"

namespace trommel {

struct ForcedRoute {
  // Sends the filter's batches of updates along this route from now on. Its bytes do not change.
  static void Use(CountingFilter& filter, Route route) noexcept;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COUNTING_FORCED_ROUTE_H_
