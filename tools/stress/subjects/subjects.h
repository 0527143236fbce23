// The filters that `trommel stress` tests, one function for each type.
#ifndef TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECTS_H_
#define TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECTS_H_

#include <memory>

#include "tools/stress/plans/mix.h"
#include "tools/stress/subjects/subject.h"

namespace trommel::stress {

Result<std::unique_ptr<Subject>> MakeConcurrentSubject(const RoundPlan& plan);

// A filter that begins without blocks, so that it grows and shrinks many times
// in a round.
Result<std::unique_ptr<Subject>> MakeScalableSubject(const RoundPlan& plan);

// A window drawn from the plan's seed, and its description.
Figures DrawWindow(const RoundPlan& plan);
Result<AnyFilterPtr> CreateWindow(const Figures& description, std::shared_ptr<Executor> executor);
Result<std::unique_ptr<Subject>> MakeWindowSubject(const RoundPlan& plan,
                                                   const CreateFilter& create = CreateWindow);

// The filter of the plan's type.
Result<std::unique_ptr<Subject>> MakeTypedSubject(const RoundPlan& plan);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECTS_H_
