// The executor: the only file that uses oneTBB.
#include "trommel/executor.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/sync/work_list.h"

namespace trommel {
namespace {

// oneTBB starts more threads than the machine has only under a tbb::global_control, of which the
// lowest limit in the process holds. So all executors share one, with the largest limit.
class SharedLimit {
 public:
  explicit SharedLimit(size_t num_threads) {
    Process& process = Shared();
    const std::lock_guard lock(process.mutex);
    mine_ = process.wanted.insert(num_threads);
    Update(process);
  }
  SharedLimit(const SharedLimit&) = delete;
  SharedLimit& operator=(const SharedLimit&) = delete;
  ~SharedLimit() {
    Process& process = Shared();
    const std::lock_guard lock(process.mutex);
    process.wanted.erase(mine_);
    Update(process);
  }

 private:
  struct Process {
    std::mutex mutex;
    std::multiset<size_t> wanted;
    size_t in_force = 0;
    std::optional<tbb::global_control> limit;
  };
  // Made on first use and never destroyed: executors may be static objects.
  static Process& Shared() {
    static Process& process = *new Process;
    return process;
  }

  static void Update(Process& process) {
    const size_t largest = process.wanted.empty() ? 0 : *process.wanted.rbegin();
    if (largest == process.in_force) return;
    process.limit.reset();
    if (largest > 0) process.limit.emplace(tbb::global_control::max_allowed_parallelism, largest);
    process.in_force = largest;
  }

  std::multiset<size_t>::iterator mine_;
};

// The machine's NUMA nodes as oneTBB numbers them; empty if there is only one. In that case oneTBB
// is not called: it would load its binding library, in a way that AddressSanitizer reports as an
// error of this program.
std::vector<tbb::numa_node_id> NumaNodes() {
  std::error_code ignored;
  size_t num_nodes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/devices/system/node", ignored)) {
    const std::string name = entry.path().filename();
    num_nodes += name.size() > 4 && name.starts_with("node") && name[4] >= '0' && name[4] <= '9';
  }
  if (num_nodes < 2) return {};
  return tbb::info::numa_nodes();
}

// An arena for so many helpers and one outside thread: the caller of Run, or of the destructor.
std::unique_ptr<tbb::task_arena> MakeArena(size_t num_helpers, tbb::numa_node_id node) {
  const int num_threads = static_cast<int>(num_helpers) + 1;
  if (node == tbb::task_arena::automatic) {
    return std::make_unique<tbb::task_arena>(num_threads, 1);
  }
  tbb::task_arena::constraints constraints;
  constraints.set_numa_id(node).set_max_concurrency(num_threads);
  return std::make_unique<tbb::task_arena>(constraints, 1);
}

}  // namespace

struct Executor::Impl {
  explicit Impl(std::vector<size_t> max_helpers) : list(std::move(max_helpers)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  struct Arena {
    std::unique_ptr<tbb::task_arena> arena;
    std::unique_ptr<tbb::task_group> helpers = std::make_unique<tbb::task_group>();
  };

  // Has a thread of the arena call `work` at some time.
  enum class Started : uint8_t {
    kYes,
    kPerhaps,  // the system refused a thread; `work` may be called all the same
    kNo,       // it refused the memory of the task
  };
  template <class Work>
  static Started Start(Arena& arena, const Work& work) noexcept {
    tbb::task_handle task;
    try {
      task = arena.helpers->defer(work);
    } catch (const std::bad_alloc&) {
      return Started::kNo;
    }
    try {
      arena.arena->enqueue(std::move(task));
      return Started::kYes;
    } catch (...) {  // oneTBB throws std::runtime_error where it cannot start a thread
      return Started::kPerhaps;
    }
  }

  // Whether this is a child, made by fork, of the process that made the executor: it has none of
  // the threads, and what they had locked stays locked.
  bool IsOfOtherProcess() const { return getpid() != process; }

  const pid_t process = getpid();
  std::unique_ptr<SharedLimit> limit;  // outlives the arenas
  uint32_t num_threads = 1;
  WorkList list;
  std::vector<Arena> arenas;
  std::atomic<bool> has_pipeline{false};  // at most one is spread over the threads
};

// Helpers that have not begun run here: oneTBB would never free them. A child made by fork has no
// threads that could finish those that had begun: it leaks them until it exits.
Executor::Impl::~Impl() {
  if (IsOfOtherProcess()) {
    for (Arena& arena : arenas) (void)(arena.arena.release(), arena.helpers.release());
    (void)limit.release();
    return;
  }
  for (Arena& arena : arenas) {
    arena.arena->execute([&] { arena.helpers->wait(); });
  }
}

Executor::Executor(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Executor::~Executor() = default;

Result<std::shared_ptr<Executor>> Executor::Create(uint32_t num_threads, uint32_t num_nodes) {
  const auto machine_threads = static_cast<uint32_t>(std::max(1, tbb::info::default_concurrency()));
  if (num_threads == 0) num_threads = std::min(machine_threads, kMaxThreads);
  if (num_threads > kMaxThreads) {
    return Error{ErrorCode::kInvalidArgument, "num_threads is " + std::to_string(num_threads) +
                                                  "; it must be between 0 (as many as the machine "
                                                  "offers) and " +
                                                  std::to_string(kMaxThreads)};
  }
  if (num_nodes > num_threads) {
    return Error{ErrorCode::kInvalidArgument, "num_nodes is " + std::to_string(num_nodes) +
                                                  "; it must be between 0 (one per NUMA "
                                                  "node) and the number of threads, " +
                                                  std::to_string(num_threads)};
  }
  const std::vector<tbb::numa_node_id> nodes = NumaNodes();
  const auto num_arenas = static_cast<uint32_t>(
      num_nodes != 0 ? num_nodes : std::clamp<size_t>(nodes.size(), 1, num_threads));
  // The threads are divided evenly among the arenas.
  std::vector<size_t> max_helpers;
  for (uint32_t a = 0; a < num_arenas; ++a) {
    max_helpers.push_back(num_threads * (a + 1) / num_arenas - num_threads * a / num_arenas);
  }
  --max_helpers.front();  // the caller
  auto impl = std::make_unique<Impl>(max_helpers);
  impl->num_threads = num_threads;
  if (num_threads > machine_threads) {
    impl->limit = std::make_unique<SharedLimit>(num_threads);
  }
  for (uint32_t a = 0; a < num_arenas; ++a) {
    const bool is_bound = num_arenas > 1 && !nodes.empty();
    impl->arenas.push_back(
        {.arena = MakeArena(max_helpers[a],
                            is_bound ? nodes[a % nodes.size()] : tbb::task_arena::automatic)});
  }
  return std::shared_ptr<Executor>(new Executor(std::move(impl)));
}

uint32_t Executor::num_threads() const noexcept { return impl_->num_threads; }
uint32_t Executor::num_nodes() const noexcept {
  return static_cast<uint32_t>(impl_->arenas.size());
}

void Executor::ForEach(size_t num_tasks, const std::function<void(size_t)>& task) noexcept {
  if (num_tasks <= 1 || impl_->num_threads == 1 || impl_->IsOfOtherProcess()) {
    for (size_t i = 0; i < num_tasks; ++i) task(i);
    return;
  }
  WorkList& list = impl_->list;
  Place place = Place::OfThread();
  if (place.list != &list) place = {.list = &list};
  const auto start = [&](size_t arena) {
    // If no thread can be started, this one runs all tasks.
    return Impl::Start(impl_->arenas[arena], [&list, arena] { list.Help(arena); }) !=
           Impl::Started::kNo;
  };
  std::optional<Job> job;
  try {
    job.emplace(num_tasks, impl_->arenas.size(), task, place.is_in_pipeline);
    list.Post(*job, std::cref(start));
  } catch (const std::bad_alloc&) {  // before any thread knew of the job
    for (size_t i = 0; i < num_tasks; ++i) task(i);
    return;
  }
  {
    const AtPlace at(place);
    job->Work(place.arena);
  }
  list.Withdraw(*job);
}

void Executor::Run(const Pipeline& pipeline) noexcept {
  TROMMEL_CHECK(pipeline.num_slots > 0 && pipeline.read && pipeline.work && pipeline.finish,
                "a pipeline needs slots and all its stages");
  const Place place{.list = &impl_->list, .arena = 0, .is_in_pipeline = true};
  Impl::Arena& arena = impl_->arenas.front();
  bool is_alone = impl_->num_threads == 1 || impl_->IsOfOtherProcess() ||
                  Place::OfThread().list == place.list ||
                  impl_->has_pipeline.exchange(true, std::memory_order_acquire);
  // A pipeline that has begun cannot continue if the system refuses it threads.
  if (!is_alone && Impl::Start(arena, [] {}) != Impl::Started::kYes) {
    impl_->has_pipeline.store(false, std::memory_order_release);
    is_alone = true;
  }
  if (is_alone) {
    for (size_t i = 0; pipeline.read(i % pipeline.num_slots); ++i) {
      pipeline.work(i % pipeline.num_slots);
      pipeline.finish(i % pipeline.num_slots);
    }
    return;
  }
  // At most num_slots items are in progress and they finish in order, so slots can be used in turn.
  size_t num_read = 0;
  const auto read = [&](tbb::flow_control& control) -> size_t {
    const AtPlace at(place);
    const size_t slot = num_read % pipeline.num_slots;
    if (!pipeline.read(slot)) {
      control.stop();
      return 0;
    }
    ++num_read;
    return slot;
  };
  const auto work = [&](size_t slot) {
    const AtPlace at(place);
    pipeline.work(slot);
    return slot;
  };
  const auto finish = [&](size_t slot) {
    const AtPlace at(place);
    pipeline.finish(slot);
  };
  using Mode = tbb::filter_mode;
  // execute() enters the arena at once: its one slot for an outside thread is free, because only
  // Run enters, one call at a time.
  const AtPlace at(place);
  arena.arena->execute([&] {
    tbb::parallel_pipeline(pipeline.num_slots,
                           tbb::make_filter<void, size_t>(Mode::serial_in_order, read) &
                               tbb::make_filter<size_t, size_t>(Mode::parallel, work) &
                               tbb::make_filter<size_t, void>(Mode::serial_in_order, finish));
  });
  impl_->has_pipeline.store(false, std::memory_order_release);
}

}  // namespace trommel
