#include "engine/src/keys/key_chunks.h"

#include <bit>

namespace trommel {

std::span<const uint64_t> ViewedDigests(const DigestPolicy& policy, Keys keys, size_t first,
                                        size_t count, std::span<uint64_t> buffer) noexcept {
  if (keys.kind() == KeyKind::kDigests) {
    return std::span(static_cast<const uint64_t*>(keys.data()) + first, count);
  }
  const std::span<uint64_t> digests = buffer.first(count);
  policy.Digests(keys.Subspan(first, count), digests);
  return digests;
}

uint64_t CountBits(std::span<const uint64_t> bitmap) noexcept {
  uint64_t num_bits = 0;
  for (const uint64_t word : bitmap) num_bits += static_cast<uint64_t>(std::popcount(word));
  return num_bits;
}

}  // namespace trommel
