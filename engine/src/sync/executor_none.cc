// The executor of a library built without oneTBB (TROMMEL_EXECUTOR=OFF, TROMMEL_C_EXECUTOR=OFF):
// none is ever created, and the members are there to be linked.
#include <utility>

#include "trommel/executor.h"

namespace trommel {

struct Executor::Impl {};

Executor::Executor(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Executor::~Executor() = default;

Result<std::shared_ptr<Executor>> Executor::Create(uint32_t, uint32_t) {
  return Error{
      ErrorCode::kInvalidArgument,
      "this library was built without executors: pass none, and all work is done in the calling "
      "thread; or build it with TROMMEL_EXECUTOR=ON (of the C library TROMMEL_C_EXECUTOR=ON)"};
}

uint32_t Executor::num_threads() const noexcept { return 1; }
uint32_t Executor::num_nodes() const noexcept { return 1; }

void Executor::ForEach(size_t num_tasks, const std::function<void(size_t)>& task) noexcept {
  for (size_t i = 0; i < num_tasks; ++i) task(i);
}

void Executor::Run(const Pipeline& pipeline) noexcept {
  while (pipeline.read(0)) {
    pipeline.work(0);
    pipeline.finish(0);
  }
}

}  // namespace trommel
