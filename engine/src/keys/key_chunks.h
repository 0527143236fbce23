// Chunks: the digests of a batch of keys, as many at a time as one kernel call takes.
//
// Digests of the caller's may be viewed where they are, or copied. What an update reads twice must
// be the same both times: another thread that writes to them, which is a mistake but in Python an
// easy one, would else make a block and its side table, or two stores, take different keys. So
// updates get copies, 16 KiB at a time, unless they make their own in one reading. A query that
// reads a digest twice may mix the answers of two keys, and does nothing worse: any digest leads to
// a block.
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

// Returns the digests of these keys: a view where the keys are digests themselves, else written to
// `buffer`, which must have space for them.
std::span<const uint64_t> ViewedDigests(const DigestPolicy& policy, Keys keys, size_t first,
                                        size_t count, std::span<uint64_t> buffer) noexcept;

// Calls visit(first, digests) for the batch's chunks of at most kMaxChunkKeys keys, in order; the
// digests are valid until the next call. `first` is a multiple of 64: a chunk's answers are whole
// bitmap words.
template <class Visit>
void ForEachChunk(const DigestPolicy& policy, Keys keys, const Visit& visit) {
  std::array<uint64_t, kernels::kMaxChunkKeys> buffer;
  for (size_t first = 0; first < keys.size(); first += buffer.size()) {
    const size_t count = std::min(buffer.size(), keys.size() - first);
    const std::span<uint64_t> digests = std::span(buffer).first(count);
    policy.Digests(keys.Subspan(first, count), digests);
    visit(first, std::span<const uint64_t>(digests));
  }
}

// As ForEachChunk, with a view of digests that are the caller's.
template <class Visit>
void ForEachViewedChunk(const DigestPolicy& policy, Keys keys, const Visit& visit) {
  std::array<uint64_t, kernels::kMaxChunkKeys> buffer;
  for (size_t first = 0; first < keys.size(); first += buffer.size()) {
    const size_t count = std::min(buffer.size(), keys.size() - first);
    visit(first, ViewedDigests(policy, keys, first, count, buffer));
  }
}

uint64_t CountBits(std::span<const uint64_t> bitmap) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_KEY_CHUNKS_H_
