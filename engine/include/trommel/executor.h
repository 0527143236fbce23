// Executor: the threads that large batches are spread over.
//
// A filter without one works in the calling thread only: the library starts no threads by itself.
// One executor may serve any number of filters and callers. Threads come from oneTBB, in arenas of
// our own. Where the machine has several NUMA nodes (and oneTBB can see them) there is one arena
// per node, and what a node's tasks touch first stays the node's.
//
// A caller never depends on other threads: tasks that no helper has begun it runs itself, and it
// waits only for those that helpers have begun. So calls may be nested in each other, including
// calls to several executors, and may come from tasks of a program's own oneTBB; none waits for
// another's end. (The argument: engine/src/sync/work_list.h.)
//
// More threads than the machine has raise oneTBB's limit for the whole process while the executor
// lives. Threads outlive it, asleep: do not unload the library. A child made by fork has none of
// them, and must not use executors made before.
#ifndef TROMMEL_EXECUTOR_H_
#define TROMMEL_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "trommel/result.h"

namespace trommel {

class Executor {
 public:
  static constexpr uint32_t kMaxThreads = 1024;

  // Room for num_threads threads, the calling one included; 0: as many as the machine offers. They
  // are shared among num_nodes arenas; 0: one per NUMA node. Threads start with the first work.
  // Fails with kInvalidArgument over kMaxThreads, and for more arenas than threads.
  static Result<std::shared_ptr<Executor>> Create(uint32_t num_threads = 0, uint32_t num_nodes = 0);

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  // Requires that no call is running. Runs what helpers were called for and have not begun.
  ~Executor();

  uint32_t num_threads() const noexcept;
  uint32_t num_nodes() const noexcept;  // arenas

  // Each of these returns when all its tasks are done and shows the caller all that they wrote.
  // Tasks run in any order; one that throws ends the program, and so does a lack of memory.
  // Thread safety: any thread, also from within a task of this or another executor. A task must not
  // need what its caller holds, as a lock or a place in a task_arena of the program's own: helpers
  // run it.

  // Calls task(i) once for every i in [0, num_tasks), in the calling thread and in up to
  // num_threads - 1 helpers, which all callers share. Neighbouring tasks belong together: each
  // node's threads begin with one contiguous part of them, for the same num_tasks always the same
  // part, and turn to the others' parts only when nothing is left of it.
  // Cost: a few microseconds besides the tasks, so a task should take more.
  void ForEach(size_t num_tasks, const std::function<void(size_t)>& task) noexcept;

  // A pipeline over num_slots buffers of the caller's. `read` fills the next slot, or returns false
  // at the end; `work` handles filled slots, several at a time; `finish` empties them. `read` and
  // `finish` are each called for one slot at a time, in the order of reading. A slot is read again
  // only after it was finished. Runs in the first arena, and in the calling thread alone while
  // another pipeline is running; stages may call ForEach. Requires all stages and at least one
  // slot: else message and abort.
  struct Pipeline {
    size_t num_slots = 0;  // at least 1; twice num_threads keeps all threads busy
    std::function<bool(size_t slot)> read;
    std::function<void(size_t slot)> work;
    std::function<void(size_t slot)> finish;
  };
  void Run(const Pipeline& pipeline) noexcept;

 private:
  struct Impl;
  explicit Executor(std::unique_ptr<Impl> impl) noexcept;

  std::unique_ptr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_EXECUTOR_H_
