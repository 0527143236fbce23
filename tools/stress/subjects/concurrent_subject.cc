// A ConcurrentFilter as a Subject; the choice of the subject by the plan's type.
#include <algorithm>
#include <utility>

#include "tools/stress/subjects/subjects.h"
#include "trommel/concurrent_filter.h"

namespace trommel::stress {
namespace {

constexpr uint64_t kRecordBytes = 64;  // of side memory, for one promoted block

}  // namespace

Result<std::unique_ptr<Subject>> MakeConcurrentSubject(const RoundPlan& plan) {
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  CountingConfig config = plan.config;
  config.executor = *std::move(executor);
  Result<ConcurrentFilter> filter = [&]() -> Result<ConcurrentFilter> {
    if (!plan.geometry) return ConcurrentFilter::Create(config);
    Result<CountingFilter> exclusive = MakeCountingFilter(config, plan.geometry);
    if (!exclusive.ok()) return exclusive.error();
    return ConcurrentFilter::Adopt(*std::move(exclusive));
  }();
  if (filter.ok() && plan.side_records > 0) {
    const uint64_t num_parts = uint64_t{1} << std::min(filter->geometry().shard_bits, 10U);
    const Status limited = filter->LimitSideMemory(kRecordBytes * plan.side_records * num_parts);
    if (!limited.ok()) return limited.error();
  }
  return SubjectOf<CountingSubject<ConcurrentFilter>>(std::move(filter), config, plan.geometry,
                                                      plan.side_records > 0);
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
