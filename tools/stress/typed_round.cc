// One round with the filter that the plan's type names.
#include "tools/stress/typed_round.h"

#include "tools/stress/concurrent_subject.h"
#include "tools/stress/scalable_subject.h"
#include "tools/stress/window_round.h"
#include "trommel/window_filter.h"

namespace trommel::stress {

Result<RoundResult> RunTypedRound(const RoundPlan& plan, const Watch& watch) {
  if (plan.type == FilterType::kWindow) return RunWindowRound(plan, WindowFilter::Create, watch);
  return RunRound(plan,
                  plan.type == FilterType::kScalable ? MakeScalableSubject : MakeConcurrentSubject,
                  watch);
}

}  // namespace trommel::stress
