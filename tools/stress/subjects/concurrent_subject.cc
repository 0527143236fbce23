// A ConcurrentFilter as a Subject; the choice of the subject by the plan's type.
#include <utility>

#include "tools/stress/subjects/subjects.h"
#include "trommel/concurrent_filter.h"

namespace trommel::stress {

Result<std::unique_ptr<Subject>> MakeConcurrentSubject(const RoundPlan& plan) {
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  CountingConfig config = plan.config;
  config.executor = *std::move(executor);
  return SubjectOf<CountingSubject<ConcurrentFilter>>(ConcurrentFilter::Create(config), config);
}

Result<std::unique_ptr<Subject>> MakeTypedSubject(const RoundPlan& plan) {
  switch (plan.type) {
    case FilterType::kConcurrent:
      break;
    case FilterType::kScalable:
      return MakeScalableSubject(plan);
    case FilterType::kWindow:
      return MakeWindowSubject(plan, WindowFilter::Create);
  }
  return MakeConcurrentSubject(plan);
}

}  // namespace trommel::stress
