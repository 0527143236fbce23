// The only file that knows oneTBB.
#include "trommel/executor.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace trommel {
namespace {

using Task = std::function<void(size_t)>;

// Tasks of ours are long (thousands of keys), so each is a task of its own. Isolated: a thread that
// waits here takes no task from outside, which might hold a lock or use the stack without bound.
void RunRange(size_t begin, size_t end, const Task& task) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<size_t>(begin, end, 1),
        [&](const tbb::blocked_range<size_t>& range) {
          for (size_t i = range.begin(); i < range.end(); ++i) task(i);
        },
        tbb::simple_partitioner());
  });
}

// The machine's NUMA nodes as oneTBB names them; empty where there is one. oneTBB is not asked
// then: it would load its binding library, in a way that AddressSanitizer takes for a mistake of
// ours and ends the program.
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

std::unique_ptr<tbb::task_arena> MakeArena(uint32_t num_threads, tbb::numa_node_id node) {
  if (node == tbb::task_arena::automatic) {
    return std::make_unique<tbb::task_arena>(static_cast<int>(num_threads));
  }
  tbb::task_arena::constraints constraints(node, static_cast<int>(num_threads));
  return std::make_unique<tbb::task_arena>(constraints);
}

}  // namespace

struct Executor::Impl {
  // Before the arenas: oneTBB starts no more threads than the machine has unless told so.
  std::optional<tbb::global_control> more_threads;
  uint32_t num_threads = 1;
  std::vector<std::unique_ptr<tbb::task_arena>> arenas;
};

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
                                                  "; it must be between 0 (one a NUMA "
                                                  "node) and the number of threads, " +
                                                  std::to_string(num_threads)};
  }
  auto impl = std::make_unique<Impl>();
  impl->num_threads = num_threads;
  if (num_threads > machine_threads) {
    impl->more_threads.emplace(tbb::global_control::max_allowed_parallelism, num_threads);
  }
  const std::vector<tbb::numa_node_id> nodes = NumaNodes();
  const auto num_arenas = static_cast<uint32_t>(
      num_nodes != 0 ? num_nodes : std::clamp<size_t>(nodes.size(), 1, num_threads));
  for (uint32_t a = 0; a < num_arenas; ++a) {
    // Every thread has an arena, and no arena more than one thread over its share.
    const uint32_t threads = num_threads * (a + 1) / num_arenas - num_threads * a / num_arenas;
    const bool is_bound = num_arenas > 1 && !nodes.empty();
    impl->arenas.push_back(
        MakeArena(threads, is_bound ? nodes[a % nodes.size()] : tbb::task_arena::automatic));
  }
  return std::shared_ptr<Executor>(new Executor(std::move(impl)));
}

uint32_t Executor::num_threads() const noexcept { return impl_->num_threads; }
uint32_t Executor::num_nodes() const noexcept {
  return static_cast<uint32_t>(impl_->arenas.size());
}

void Executor::ForEach(size_t num_tasks, const Task& task) noexcept {
  if (num_tasks <= 1 || impl_->num_threads == 1) {
    for (size_t i = 0; i < num_tasks; ++i) task(i);
    return;
  }
  auto& arenas = impl_->arenas;
  if (arenas.size() == 1) {
    arenas.front()->execute([&] { RunRange(0, num_tasks, task); });
    return;
  }
  // All arenas are set to work before any is waited for.
  std::vector<tbb::task_group> groups(arenas.size());
  const auto part = [&](size_t a) { return num_tasks * a / arenas.size(); };
  for (size_t a = 0; a < arenas.size(); ++a) {
    arenas[a]->execute([&, a] { groups[a].run([&, a] { RunRange(part(a), part(a + 1), task); }); });
  }
  for (size_t a = 0; a < arenas.size(); ++a) {
    arenas[a]->execute([&, a] { groups[a].wait(); });
  }
}

void Executor::Run(const Pipeline& pipeline) noexcept {
  if (impl_->num_threads == 1) {
    for (size_t i = 0; pipeline.read(i % pipeline.num_slots); ++i) {
      pipeline.work(i % pipeline.num_slots);
      pipeline.finish(i % pipeline.num_slots);
    }
    return;
  }
  // At most num_slots items are under way and they finish in order, so slots can go around.
  size_t num_read = 0;
  const auto read = [&](tbb::flow_control& control) -> size_t {
    const size_t slot = num_read % pipeline.num_slots;
    if (!pipeline.read(slot)) {
      control.stop();
      return 0;
    }
    ++num_read;
    return slot;
  };
  const auto work = [&](size_t slot) {
    pipeline.work(slot);
    return slot;
  };
  using Mode = tbb::filter_mode;
  impl_->arenas.front()->execute([&] {
    tbb::parallel_pipeline(
        pipeline.num_slots,
        tbb::make_filter<void, size_t>(Mode::serial_in_order, read) &
            tbb::make_filter<size_t, size_t>(Mode::parallel, work) &
            tbb::make_filter<size_t, void>(Mode::serial_in_order,
                                           [&](size_t slot) { pipeline.finish(slot); }));
  });
}

}  // namespace trommel
