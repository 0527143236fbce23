#include "engine/src/batches/erase_all.h"

#include "engine/src/keys/key_batches.h"

namespace trommel {

std::vector<uint64_t> AscendingDigests(const DigestPolicy& policy, const Keys& keys) {
  std::vector<uint64_t> digests(keys.size());
  policy.Digests(keys, digests);
  std::ranges::sort(digests);
  return digests;
}

void MarkMissing(const DigestPolicy& policy, const Keys& keys, Shortfalls& shortfalls,
                 std::span<uint64_t> missing) {
  shortfalls.BeginTelling();
  ForEachChunk(policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    for (size_t i = 0; i < digests.size(); ++i) {
      const uint64_t is_missing{shortfalls.IsNextMissing(digests[i])};
      missing[(first + i) / 64] |= is_missing << (first + i) % 64;
    }
  });
}

}  // namespace trommel
