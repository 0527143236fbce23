// Large batches in parts for an executor's threads.
#ifndef TROMMEL_ENGINE_SRC_KEY_PARTS_H_
#define TROMMEL_ENGINE_SRC_KEY_PARTS_H_

#include <algorithm>
#include <cstddef>

#include "engine/src/key_chunks.h"
#include "trommel/executor.h"
#include "trommel/keys.h"

namespace trommel {

// A part's keys: a multiple of 64, so that parts share no word of a bitmap, and enough to be worth
// starting a task.
inline constexpr size_t kPartKeys = size_t{1} << 14;

// Calls visit(first, keys) for consecutive parts of the batch: for the whole of it without an
// executor (null), else for at most kPartKeys at a time, from any thread.
template <class Visit>
void ForEachPart(Executor* executor, Keys keys, const Visit& visit) {
  if (executor == nullptr || keys.size() <= kPartKeys) return visit(size_t{0}, keys);
  const size_t num_parts = (keys.size() + kPartKeys - 1) / kPartKeys;
  executor->ForEach(num_parts, [&](size_t p) {
    const size_t first = p * kPartKeys;
    visit(first, Slice(keys, first, std::min(kPartKeys, keys.size() - first)));
  });
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEY_PARTS_H_
