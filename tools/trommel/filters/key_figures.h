// KeyFigures: how many distinct keys a filter holds, which its count of insertions does not tell,
// and the false-positive rate that they lead to.
#ifndef TROMMEL_TOOLS_KEY_FIGURES_H_
#define TROMMEL_TOOLS_KEY_FIGURES_H_

#include <cstdint>

#include "trommel/any_filter.h"
#include "trommel/outcomes.h"
#include "trommel/sizing.h"

namespace trommel::tool {

// An estimate from the fill, as estimates.h explains it.
struct DistinctKeys {
  uint64_t value = 0;     // all insertions, where these are within the estimate's error
  uint64_t at_least = 0;  // two standard errors below the estimate
};

struct KeyFigures {
  uint64_t num_keys = 0;  // insertions less erasures
  DistinctKeys distinct;
  double current_fpr = 0;    // measured
  double predicted_fpr = 0;  // by the model, for distinct.value keys
  double least_fpr = 0;      // by the model, for distinct.at_least
};

// One pass more at most. Of a filter that grows, the distinct keys are what it counts itself.
KeyFigures FiguresOf(const CountingFilter& filter, const BlockFill& fill);
KeyFigures FiguresOf(const ScalableFilter& filter, const ScalableFill& fill);
KeyFigures FiguresOf(const WindowFilter& filter, const BlockFill& fill);

// One pass over the filter. Of an attribute filter all 0: each of its sets has its own figures.
KeyFigures FiguresOf(const AnyFilter& filter);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_FIGURES_H_
