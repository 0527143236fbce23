// Job: the tasks of one Executor::ForEach. WorkList: the running jobs of an executor.
//
// The invariant that excludes deadlock: no thread waits for a task that has not begun.
// Tasks are claimed one at a time from counters that all threads share. A caller claims from its
// own job until nothing is left to claim, so it needs no other thread; then it waits for the
// helpers that are still inside tasks of this job, and for nothing else.
//
//   caller    Post --- claim, run ... claim, run --- all claimed --- Withdraw ......... return
//   helper 2     Help --- claim, run .................................. run ---|
//   helper 3         Help --- claim, run ............................ run ---|
//   helper 4  was started, too, but begins late:                           Help: no job, ends
//
// A task may post jobs of its own, to any executor. A waiting thread never begins other work on top
// of its stack, except in a pipeline (Place, below). So what a thread waits for began after
// everything that lies below on that thread's stack, and in a cycle of waiting threads each would
// have begun before itself.
//
// No job ends while a helper is inside it: Withdraw waits. Helpers that begin later find it gone.
#ifndef TROMMEL_ENGINE_SRC_SYNC_WORK_LIST_H_
#define TROMMEL_ENGINE_SRC_SYNC_WORK_LIST_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace trommel {

class WorkList;

// For which list, and in which arena, a thread works. A thread that waits for a pipeline runs the
// pipeline's stages meanwhile, on top of its stack (is_in_pipeline). Its callers may hold locks, so
// it helps only with jobs that the pipeline itself posted.
struct Place {
  const WorkList* list = nullptr;
  size_t arena = 0;
  bool is_in_pipeline = false;

  static const Place& OfThread() noexcept;
};

// Sets the calling thread's place for the lifetime of this object.
class AtPlace {
 public:
  explicit AtPlace(const Place& place) noexcept;
  AtPlace(const AtPlace&) = delete;
  AtPlace& operator=(const AtPlace&) = delete;
  ~AtPlace();

 private:
  Place outer_;
};

class Job {
 public:
  using Task = std::function<void(size_t)>;

  // The tasks [0, num_tasks) in num_parts contiguous parts, one for each arena. `task` must outlive
  // the job.
  Job(size_t num_tasks, size_t num_parts, const Task& task, bool is_in_pipeline);

  size_t SizeOfPart(size_t part) const { return parts_[part].end - parts_[part].begin; }
  bool has_unclaimed() const noexcept;

  // Claims and runs tasks, those of part `first` before others, until all are claimed.
  void Work(size_t first) noexcept;

 private:
  friend class WorkList;

  struct alignas(64) Part {  // a cache line each: arenas claim at the same time
    size_t begin = 0;
    size_t end = 0;
    std::atomic<size_t> next{0};  // may pass `end`, once for each thread
  };

  std::vector<Part> parts_;
  const Task& task_;
  const bool is_in_pipeline_;
  std::atomic<size_t> num_helpers_{0};  // inside Work; they join under the list's mutex
};

class WorkList {
 public:
  // At most max_helpers[a] helpers are started in arena a.
  explicit WorkList(std::vector<size_t> max_helpers);

  // Adds the job. Calls start(a) once for each helper that is worth starting in arena a: the caller
  // has that thread call Help(a) at some time, or returns false. The job stays until Withdraw. If
  // it throws std::bad_alloc, nothing has changed; `start` must not throw.
  void Post(Job& job, const std::function<bool(size_t arena)>& start);

  // Removes the job, all of whose tasks must be claimed, and returns when they are done.
  void Withdraw(Job& job) noexcept;

  // Works on jobs, the newest first, until none has unclaimed tasks: a nested job is what an older
  // one waits for.
  void Help(size_t arena) noexcept;

 private:
  Job* FindJob(bool is_in_pipeline) const noexcept;

  const std::vector<size_t> max_helpers_;
  std::mutex mutex_;
  std::condition_variable has_left_;  // the last helper of a job
  std::vector<Job*> jobs_;            // oldest first
  std::vector<size_t> num_helpers_;   // by arena; started, and not yet ended
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_WORK_LIST_H_
