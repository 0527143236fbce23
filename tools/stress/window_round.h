// One round with a window: writers, readers, and a ticker that moves the time on.
#ifndef TROMMEL_TOOLS_STRESS_WINDOW_ROUND_H_
#define TROMMEL_TOOLS_STRESS_WINDOW_ROUND_H_

#include <functional>

#include "tools/stress/round.h"
#include "trommel/window_filter.h"

namespace trommel::stress {

// A new filter. Faulty ones may make another than they are asked for.
using MakeWindow = std::function<Result<WindowFilter>(const WindowConfig& config)>;

// The window that the plan's seed draws.
WindowConfig DrawWindow(const RoundPlan& plan);

// Fails when the filter cannot be made.
Result<RoundResult> RunWindowRound(const RoundPlan& plan, const MakeWindow& make,
                                   const Watch& watch);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_WINDOW_ROUND_H_
