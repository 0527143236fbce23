// Which fields of a config only generations have. (ChooseGrowth: trommel/scalable_filter.h.)
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_CHOICE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_CHOICE_H_

#include <string>

#include "trommel/scalable_filter.h"

namespace trommel {

// The first field that is away from its default and that a filter that doubles does not have; empty
// if there is none.
std::string FieldOfGenerations(const ScalableConfig& config);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_CHOICE_H_
