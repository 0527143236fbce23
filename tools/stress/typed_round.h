// One round with the filter that the plan's type names.
#ifndef TROMMEL_TOOLS_STRESS_TYPED_ROUND_H_
#define TROMMEL_TOOLS_STRESS_TYPED_ROUND_H_

#include "tools/stress/round.h"

namespace trommel::stress {

// Fails when the filter cannot be made.
Result<RoundResult> RunTypedRound(const RoundPlan& plan, const Watch& watch);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_TYPED_ROUND_H_
