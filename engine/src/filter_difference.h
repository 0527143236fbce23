// Which field keeps two filters from being put together.
#ifndef TROMMEL_ENGINE_SRC_FILTER_DIFFERENCE_H_
#define TROMMEL_ENGINE_SRC_FILTER_DIFFERENCE_H_

#include <string>

#include "trommel/counting_filter.h"

namespace trommel {

// Names the first field of geometry or digest policy in which the filters differ, and both values;
// empty if they agree in all.
std::string FilterDifference(const CountingFilter& a, const CountingFilter& b);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FILTER_DIFFERENCE_H_
