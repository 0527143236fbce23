// What `trommel stress --type scalable` tests: a ScalableFilter.
#ifndef TROMMEL_TOOLS_STRESS_SCALABLE_SUBJECT_H_
#define TROMMEL_TOOLS_STRESS_SCALABLE_SUBJECT_H_

#include <cstdint>
#include <memory>

#include "tools/stress/subject.h"

namespace trommel::stress {

// A filter that begins with a small part of the capacity, so that it grows and shrinks many times
// in a round. The route means nothing to it: it says which rounds have identical generations, where
// the slices allow that. Fails as Executor::Create and ScalableFilter::Create do.
Result<std::unique_ptr<Subject>> MakeScalableSubject(const CountingConfig& config,
                                                     uint32_t executor_threads);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_SCALABLE_SUBJECT_H_
