// A ConcurrentFilter behind the door of a Subject.
#include "tools/stress/concurrent_subject.h"

#include <utility>

#include "trommel/concurrent_filter.h"
#include "trommel/executor.h"

namespace trommel::stress {

Result<std::unique_ptr<Subject>> MakeConcurrentSubject(const CountingConfig& config,
                                                       uint32_t executor_threads) {
  CountingConfig whole = config;
  if (executor_threads > 0) {
    Result<std::shared_ptr<Executor>> executor = Executor::Create(executor_threads);
    if (!executor.ok()) return executor.error();
    whole.executor = std::move(*executor);
  }
  Result<ConcurrentFilter> filter = ConcurrentFilter::Create(whole);
  if (!filter.ok()) return filter.error();
  std::unique_ptr<Subject> subject =
      std::make_unique<FilterSubject<ConcurrentFilter, NoMutex>>(std::move(*filter));
  return subject;
}

}  // namespace trommel::stress
