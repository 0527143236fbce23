/// @file
/// Executor, the threads over which large batches are spread.
#ifndef TROMMEL_EXECUTOR_H_
#define TROMMEL_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel {

/// Threads over which large batches are spread.
///
/// A filter without an executor works in the calling thread only: the library starts no threads of
/// its own accord. One executor may serve any number of filters and callers. Its threads come from
/// oneTBB, in arenas of its own. On machines with several NUMA nodes (if oneTBB can detect them)
/// there is one arena per node, and memory that a node's tasks touch first stays on that node.
///
/// *No deadlock.* A caller never depends on other threads: it runs itself the tasks that no helper
/// has begun, and waits only for those that helpers have begun. So calls may be nested, also across
/// several executors, and may come from tasks of the program's own oneTBB arenas. The argument is
/// in ARCHITECTURE.md, Executors.
///
/// *Processes.* An executor with more threads than the machine raises oneTBB's limit for the whole
/// process while it lives. Its threads outlive it, asleep: do not unload the library. A child
/// process made by fork has none of the threads: there the calling thread runs all tasks itself.
class TROMMEL_API Executor {
 public:
  /// Most threads of an executor.
  static constexpr uint32_t kMaxThreads = 1024;

  /// Creates an executor of `num_threads` threads, the calling one included; 0: as many as the
  /// machine has. They are divided among `num_nodes` arenas; 0: one per NUMA node. Threads start
  /// with the first work. Fails with kInvalidArgument for more than kMaxThreads threads, and for
  /// more arenas than threads.
  static Result<std::shared_ptr<Executor>> Create(uint32_t num_threads = 0, uint32_t num_nodes = 0);

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  /// Requires that no call is running, which is not checked. Runs the helper tasks that have not
  /// begun yet.
  ~Executor();

  /// Returns the number of threads, the calling one included.
  uint32_t num_threads() const noexcept;
  /// Returns the number of arenas.
  uint32_t num_nodes() const noexcept;

  /// @name Work
  /// Each call returns when all of its tasks are done, and the caller then sees everything that
  /// they wrote. Tasks run in any order. A task that throws ends the program. Where the system
  /// refuses memory or threads, the calling thread runs all tasks itself; but a pipeline that has
  /// begun cannot go on so, and ends the program.
  ///
  /// Thread safety: any thread, also from within a task of this or another executor. A task must
  /// not need anything that its caller holds, such as a lock or a slot in a task_arena of the
  /// program: helpers run it.
  /// @{

  /// Calls task(i) once for every i in [0, num_tasks), in the calling thread and in up to
  /// num_threads - 1 helpers, which all callers share.
  ///
  /// Neighbouring tasks belong together: the threads of each node begin with one contiguous range
  /// of them, the same for the same num_tasks, and turn to other ranges only when theirs is
  /// exhausted. Cost: a few microseconds besides the tasks, so a task should take longer.
  void ForEach(size_t num_tasks, const std::function<void(size_t)>& task) noexcept;

  /// A pipeline over `num_slots` buffers of the caller. All functions are required.
  struct Pipeline {
    size_t num_slots = 0;  ///< At least 1; twice num_threads keeps all threads busy.
    /// Fills the next slot, or returns false at the end. One slot at a time.
    std::function<bool(size_t slot)> read;
    /// Handles a filled slot. Several slots at a time.
    std::function<void(size_t slot)> work;
    /// Empties a slot. One slot at a time, in the order of reading.
    std::function<void(size_t slot)> finish;
  };
  /// Runs a pipeline until `read` returns false and every slot is finished. A slot is read again
  /// only after it was finished. Runs in the first arena, or in the calling thread alone while
  /// another pipeline is running; stages may call ForEach. Requires all functions and at least one
  /// slot.
  void Run(const Pipeline& pipeline) noexcept;

  /// @}

 private:
  struct Impl;
  explicit Executor(std::unique_ptr<Impl> impl) noexcept;

  std::unique_ptr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_EXECUTOR_H_
