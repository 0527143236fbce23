#include "engine/src/batches/query_batch.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
namespace {

// The indices of the digests that both stores show, at the front of `shown`; returns how many.
//
//   digests   a b c d e f      the first layer shows b d e: these are gathered, and the large
//   passed    1 3 4            layer queried for them: it shows the second and third
//   found     1 2           -> shown 3 4
size_t SelectShown(const KeyStore& first, const KeyStore& large, std::span<const uint64_t> digests,
                   std::span<uint32_t> shown) {
  std::array<uint32_t, kernels::kMaxChunkKeys> passed;
  std::array<uint64_t, kernels::kMaxChunkKeys> gathered;
  const size_t num_passed = first.Select(digests, /*maybe_present=*/true, 0, passed.data());
  for (size_t i = 0; i < num_passed; ++i) gathered[i] = digests[passed[i]];
  const size_t num_shown =
      large.Select(std::span(gathered).first(num_passed), true, 0, shown.data());
  for (size_t i = 0; i < num_shown; ++i) shown[i] = passed[shown[i]];
  return num_shown;
}

size_t QueryChunk(const QueryTarget& target, std::span<const uint64_t> digests,
                  uint64_t* maybe_present) {
  if (target.first_layer != nullptr) {
    return QueryLayers(*target.first_layer, target.store, digests, maybe_present);
  }
  if (target.num_probes == 0) return target.store.Query(digests, maybe_present);
  return target.store.QueryFirst(digests, target.num_probes, maybe_present);
}

size_t SelectChunk(const QueryTarget& target, std::span<const uint64_t> digests, bool maybe_present,
                   uint32_t first_idx, uint32_t* selection) {
  if (target.first_layer != nullptr) {
    return SelectLayers(*target.first_layer, target.store, digests, maybe_present, first_idx,
                        selection);
  }
  return target.store.Select(digests, maybe_present, first_idx, selection);
}

}  // namespace

size_t QueryLayers(const KeyStore& first, const KeyStore& large, std::span<const uint64_t> digests,
                   uint64_t* maybe_present) {
  std::array<uint32_t, kernels::kMaxChunkKeys> shown;
  const size_t num_shown = SelectShown(first, large, digests, shown);
  std::fill_n(maybe_present, (digests.size() + 63) / 64, 0);
  for (size_t i = 0; i < num_shown; ++i) {
    maybe_present[shown[i] / 64] |= uint64_t{1} << (shown[i] % 64);
  }
  return num_shown;
}

size_t SelectLayers(const KeyStore& first, const KeyStore& large, std::span<const uint64_t> digests,
                    bool maybe_present, uint32_t first_idx, uint32_t* selection) {
  std::array<uint32_t, kernels::kMaxChunkKeys> shown;
  const size_t num_shown = SelectShown(first, large, digests, shown);
  if (maybe_present) {
    for (size_t i = 0; i < num_shown; ++i) selection[i] = first_idx + shown[i];
    return num_shown;
  }
  size_t num_absent = 0;
  uint32_t idx = 0;
  for (size_t i = 0; i <= num_shown; ++i) {
    const uint32_t next = i < num_shown ? shown[i] : static_cast<uint32_t>(digests.size());
    for (; idx < next; ++idx) selection[num_absent++] = first_idx + idx;
    idx = next + 1;
  }
  return num_absent;
}

size_t QueryBatch(const QueryTarget& target, Keys keys,
                  std::span<uint64_t> maybe_present) noexcept {
  std::atomic<size_t> num_present{0};
  ForEachTask(target.executor, keys, [&](size_t task_first, Keys task_keys) {
    size_t num_in_task = 0;
    ForEachViewedChunk(
        target.policy, task_keys, [&](size_t first, std::span<const uint64_t> digests) {
          num_in_task +=
              QueryChunk(target, digests, maybe_present.data() + (task_first + first) / 64);
        });
    num_present.fetch_add(num_in_task, std::memory_order_relaxed);
  });
  return num_present.load(std::memory_order_relaxed);
}

size_t SelectBatch(const QueryTarget& target, Keys keys, bool maybe_present,
                   std::span<uint32_t> selection) noexcept {
  return SelectInTasks(target.executor, keys, selection,
                       [&](size_t task_first, Keys task_keys, std::span<uint32_t> task_selection) {
                         size_t num_in_task = 0;
                         ForEachViewedChunk(target.policy, task_keys,
                                            [&](size_t first, std::span<const uint64_t> digests) {
                                              num_in_task += SelectChunk(
                                                  target, digests, maybe_present,
                                                  static_cast<uint32_t>(task_first + first),
                                                  task_selection.data() + num_in_task);
                                            });
                         return num_in_task;
                       });
}

void CountBatch(const QueryTarget& target, Keys keys, RangeLocks* locks,
                std::span<uint64_t> counts) noexcept {
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
