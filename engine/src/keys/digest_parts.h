// A large batch of keys as parts of digests, for who hands one batch to several stores: digests are
// computed once, by the executor's threads, and a part is large enough for them to share.
#ifndef TROMMEL_ENGINE_SRC_KEYS_DIGEST_PARTS_H_
#define TROMMEL_ENGINE_SRC_KEYS_DIGEST_PARTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/base/scratch_array.h"
#include "engine/src/keys/key_chunks.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"

namespace trommel {

inline constexpr size_t kMaxPartKeys = size_t{1} << 20;

// Calls visit(first, digests) for the batch's parts of at most kMaxPartKeys keys, in order; digests
// live until the next call. Offsets are multiples of 64. Where there is no memory for a part, parts
// are chunks.
template <class Visit>
void ForEachPartOfDigests(const DigestPolicy& policy, Executor* executor, Keys keys,
                          const Visit& visit) {
  if (keys.size() <= kernels::kMaxBatch) return ForEachChunk(policy, keys, visit);
  const size_t part_keys = std::min(keys.size(), kMaxPartKeys);
  const bool is_done = keys.kind() == KeyKind::kDigests;
  ScratchArray<uint64_t> scratch(is_done ? 0 : part_keys);
  if (!scratch.ok()) return ForEachChunk(policy, keys, visit);
  for (size_t first = 0; first < keys.size(); first += part_keys) {
    const size_t count = std::min(part_keys, keys.size() - first);
    if (is_done || executor == nullptr) {
      visit(first, DigestsOf(policy, keys, first, count, scratch.span()));
      continue;
    }
    constexpr size_t kTaskKeys = size_t{1} << 14;
    executor->ForEach((count + kTaskKeys - 1) / kTaskKeys, [&](size_t t) {
      const size_t begin = t * kTaskKeys;
      const size_t num_keys = std::min(kTaskKeys, count - begin);
      policy.Digests(Slice(keys, first + begin, num_keys), scratch.span().subspan(begin, num_keys));
    });
    visit(first, std::span<const uint64_t>(scratch.span().first(count)));
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_DIGEST_PARTS_H_
