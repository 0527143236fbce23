#include "engine/src/batches/query_batch.h"

#include <algorithm>
#include <atomic>

#include "engine/src/batches/nested_query.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
namespace {

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

size_t QueryBatch(const QueryTarget& target, Keys keys,
                  std::span<uint64_t> maybe_present) noexcept {
  std::atomic<size_t> num_present{0};
  ForEachTask(target.executor, keys, [&](size_t part_first, Keys part) {
    size_t num_here = 0;
    ForEachChunk(target.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      num_here += QueryChunk(target, digests, maybe_present.data() + (part_first + first) / 64);
    });
    num_present.fetch_add(num_here, std::memory_order_relaxed);
  });
  return num_present.load(std::memory_order_relaxed);
}

size_t SelectBatch(const QueryTarget& target, Keys keys, bool maybe_present,
                   std::span<uint32_t> selection) noexcept {
  return SelectInTasks(
      target.executor, keys, selection,
      [&](size_t part_first, Keys part, std::span<uint32_t> part_selection) {
        size_t num_here = 0;
        ForEachChunk(target.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
          num_here +=
              SelectChunk(target, digests, maybe_present, static_cast<uint32_t>(part_first + first),
                          part_selection.data() + num_here);
        });
        return num_here;
      });
}

void CountBatch(const QueryTarget& target, Keys keys, RangeLocks* locks,
                std::span<uint64_t> counts) noexcept {
  const auto count = [&](uint64_t digest) {
    if (locks == nullptr) return target.store.CountEstimate(digest);
    const auto held = locks->Hold(RangeOf(digest, locks->lock_bits()), locks->lock_bits());
    return target.store.CountEstimate(digest);
  };
  ForEachTask(target.executor, keys, [&](size_t part_first, Keys part) {
    ForEachChunk(target.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      std::ranges::transform(
          digests, counts.begin() + static_cast<std::ptrdiff_t>(part_first + first), count);
    });
  });
}

}  // namespace trommel
