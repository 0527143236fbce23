// Chunks: the digests of a batch of keys, as many at a time as one kernel call takes.
#ifndef TROMMEL_ENGINE_SRC_KEYS_KEY_CHUNKS_H_
#define TROMMEL_ENGINE_SRC_KEYS_KEY_CHUNKS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernels.h"
#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel {

// The digests of these keys: a view where the keys are digests themselves, else written to
// `buffer`, which must have space for them.
std::span<const uint64_t> DigestsOf(const DigestPolicy& policy, Keys keys, size_t first,
                                    size_t count, std::span<uint64_t> buffer) noexcept;

// Calls visit(first, digests) for the batch's chunks of at most kMaxChunkKeys keys, in order; the
// digests are valid until the next call. `first` is a multiple of 64: a chunk's answers are whole
// bitmap words.
template <class Visit>
void ForEachChunk(const DigestPolicy& policy, Keys keys, const Visit& visit) {
  std::array<uint64_t, kernels::kMaxChunkKeys> buffer;
  for (size_t first = 0; first < keys.size(); first += buffer.size()) {
    const size_t count = std::min(buffer.size(), keys.size() - first);
    visit(first, DigestsOf(policy, keys, first, count, buffer));
  }
}

uint64_t CountBits(std::span<const uint64_t> bitmap) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_KEY_CHUNKS_H_
