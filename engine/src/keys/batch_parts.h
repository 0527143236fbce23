// A batch of queries in parts, each of which a thread of an executor may take.
#ifndef TROMMEL_ENGINE_SRC_KEYS_BATCH_PARTS_H_
#define TROMMEL_ENGINE_SRC_KEYS_BATCH_PARTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/keys/key_chunks.h"
#include "trommel/executor.h"
#include "trommel/keys.h"

namespace trommel {

// A part's keys: a multiple of 64, so that parts share no word of a bitmap, and enough to be worth
// starting a task.
inline constexpr size_t kPartKeys = size_t{1} << 14;

// Calls task(first, count) for consecutive parts of [0, size): the whole of it where there is no
// executor, else at most part_size.
template <class Task>
void ForEachStretch(Executor* executor, size_t size, size_t part_size, const Task& task) {
  if (executor == nullptr || size <= part_size) return task(0, size);
  executor->ForEach((size + part_size - 1) / part_size, [&](size_t t) {
    const size_t first = t * part_size;
    task(first, std::min(part_size, size - first));
  });
}

// Calls task(first, keys) for consecutive parts of the batch: the whole of it where there is no
// executor, else at most kPartKeys.
template <class Task>
void ForEachPart(Executor* executor, Keys keys, const Task& task) {
  ForEachStretch(executor, keys.size(), kPartKeys,
                 [&](size_t first, size_t count) { task(first, Slice(keys, first, count)); });
}

// Calls select(first, keys, part_selection) for the parts, which writes indices to its part's
// stretch of the selection and returns how many; then the stretches are moved together.
template <class SelectPart>
size_t SelectInParts(Executor* executor, Keys keys, std::span<uint32_t> selection,
                     const SelectPart& select) {
  if (keys.empty()) return 0;
  std::vector<size_t> num_selected((keys.size() + kPartKeys - 1) / kPartKeys);
  ForEachPart(executor, keys, [&](size_t first, Keys part) {
    num_selected[first / kPartKeys] = select(first, part, selection.subspan(first, part.size()));
  });
  size_t end = num_selected[0];  // the first is in its place
  for (size_t p = 1; p < num_selected.size(); ++p) {
    const auto first = selection.begin() + static_cast<std::ptrdiff_t>(p * kPartKeys);
    std::copy_n(first, num_selected[p], selection.begin() + static_cast<std::ptrdiff_t>(end));
    end += num_selected[p];
  }
  return end;
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_BATCH_PARTS_H_
