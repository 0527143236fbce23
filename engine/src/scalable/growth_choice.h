// Which mode ScalableFilter::Create makes of a config, and why.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_CHOICE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_CHOICE_H_

#include <string>

#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

struct GrowthChoice {
  GrowthMode mode = GrowthMode::kGenerations;  // never kAutomatic
  // A clause: "growth was given, which only generations have".
  std::string reason;
};

// Chooses by the model. Fails for a mode that there is not. Cost: microseconds.
Result<GrowthChoice> ChooseGrowth(const ScalableConfig& config);

// The first field that is away from its default and that a filter that doubles does not have; empty
// if there is none.
std::string FieldOfGenerations(const ScalableConfig& config);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_CHOICE_H_
