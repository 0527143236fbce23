// Parallel batches: a batch of keys spread over an executor's threads, one task per kTaskKeys keys.
#ifndef TROMMEL_ENGINE_SRC_KEYS_PARALLEL_BATCH_H_
#define TROMMEL_ENGINE_SRC_KEYS_PARALLEL_BATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <vector>

#include "trommel/executor.h"
#include "trommel/keys.h"

namespace trommel {

// Keys per task: a multiple of 64, so that no two tasks write to one word of a bitmap, and enough
// to be worth starting a task.
inline constexpr size_t kTaskKeys = size_t{1} << 14;

// Calls task(first, count) for consecutive ranges of [0, size): all at once without an executor,
// else at most task_size each.
template <class Task>
void ForEachTask(Executor* executor, size_t size, size_t task_size, const Task& task) {
  if (executor == nullptr || size <= task_size) return task(0, size);
  const auto run = [&](size_t t) {
    const size_t first = t * task_size;
    task(first, std::min(task_size, size - first));
  };
  executor->ForEach((size + task_size - 1) / task_size, std::cref(run));  // without an allocation
}

// Calls task(first, task_keys) for the tasks of the batch: all keys at once without an executor,
// else at most kTaskKeys each.
template <class Task>
void ForEachTask(Executor* executor, Keys keys, const Task& task) {
  ForEachTask(executor, keys.size(), kTaskKeys,
              [&](size_t first, size_t count) { task(first, keys.Subspan(first, count)); });
}

// Calls select(first, task_keys, task_selection) as ForEachTask does. It must write indices to the
// front of task_selection and return how many; afterwards they are moved together. Returns how many
// there are. Where the system refuses the memory of the tasks' numbers, it is called once.
template <class Select>
size_t SelectInTasks(Executor* executor, Keys keys, std::span<uint32_t> selection,
                     const Select& select) {
  if (executor == nullptr || keys.size() <= kTaskKeys) return select(0, keys, selection);
  std::vector<size_t> num_selected;
  try {
    num_selected.resize((keys.size() + kTaskKeys - 1) / kTaskKeys);
  } catch (const std::bad_alloc&) {
    return select(0, keys, selection);
  }
  ForEachTask(executor, keys, [&](size_t first, Keys task_keys) {
    num_selected[first / kTaskKeys] =
        select(first, task_keys, selection.subspan(first, task_keys.size()));
  });
  size_t end = num_selected[0];  // the first task's are in place
  for (size_t t = 1; t < num_selected.size(); ++t) {
    const auto first = selection.begin() + static_cast<std::ptrdiff_t>(t * kTaskKeys);
    std::copy_n(first, num_selected[t], selection.begin() + static_cast<std::ptrdiff_t>(end));
    end += num_selected[t];
  }
  return end;
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_PARALLEL_BATCH_H_
