// What `trommel stress` tests: a ConcurrentFilter.
#ifndef TROMMEL_TOOLS_STRESS_CONCURRENT_SUBJECT_H_
#define TROMMEL_TOOLS_STRESS_CONCURRENT_SUBJECT_H_

#include <cstdint>
#include <memory>

#include "tools/stress/subject.h"

namespace trommel::stress {

// Fails as Executor::Create and ConcurrentFilter::Create do.
Result<std::unique_ptr<Subject>> MakeConcurrentSubject(const CountingConfig& config,
                                                       uint32_t executor_threads);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_CONCURRENT_SUBJECT_H_
