#include "engine/src/batches/query_batch.h"

#include <algorithm>
#include <atomic>

#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
size_t QueryBatch(const BatchTarget& target, Keys keys,
                  std::span<uint64_t> maybe_present) noexcept {
  const auto query = [&](size_t task_first, Keys task_keys) {
    size_t num_in_task = 0;
    ForEachViewedChunk(
        target.policy, task_keys, [&](size_t first, std::span<const uint64_t> digests) {
          num_in_task +=
              target.store.Query(digests, maybe_present.data() + (task_first + first) / 64);
        });
    return num_in_task;
  };
  // An atomic sum would keep the cache misses of small batches from overlapping.
  if (target.executor == nullptr || keys.size() <= kTaskKeys) return query(0, keys);
  std::atomic<size_t> num_present{0};
  ForEachTask(target.executor, keys, [&](size_t task_first, Keys task_keys) {
    num_present.fetch_add(query(task_first, task_keys), std::memory_order_relaxed);
  });
  return num_present.load(std::memory_order_relaxed);
}

size_t SelectBatch(const BatchTarget& target, Keys keys, bool maybe_present,
                   std::span<uint32_t> selection) noexcept {
  return SelectInTasks(target.executor, keys, selection,
                       [&](size_t task_first, Keys task_keys, std::span<uint32_t> task_selection) {
                         size_t num_in_task = 0;
                         ForEachViewedChunk(target.policy, task_keys,
                                            [&](size_t first, std::span<const uint64_t> digests) {
                                              num_in_task += target.store.Select(
                                                  digests, maybe_present,
                                                  static_cast<uint32_t>(task_first + first),
                                                  task_selection.data() + num_in_task);
                                            });
                         return num_in_task;
                       });
}

void CountBatch(const BatchTarget& target, Keys keys, std::span<uint64_t> counts) noexcept {
  RangeLocks* const locks = target.locks;
  const auto count = [&](uint64_t digest) {
    if (locks == nullptr) return target.store.CountEstimate(digest);
    const auto held = locks->Hold(RangeOf(digest, locks->lock_bits()), locks->lock_bits());
    return target.store.CountEstimate(digest);
  };
  ForEachTask(target.executor, keys, [&](size_t task_first, Keys task_keys) {
    ForEachViewedChunk(
        target.policy, task_keys, [&](size_t first, std::span<const uint64_t> digests) {
          constexpr size_t kDistance = 16;
          target.store.FetchAhead(digests.first(std::min(kDistance, digests.size())));
          for (size_t i = 0; i < digests.size(); ++i) {
            if (i + kDistance < digests.size()) {
              target.store.FetchAhead(digests.subspan(i + kDistance, 1));
            }
            counts[task_first + first + i] = count(digests[i]);
          }
        });
  });
}

}  // namespace trommel
