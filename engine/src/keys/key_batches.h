// A batch of keys: cut into chunks of digests, as many at a time as one kernel call takes; and the
// checks of its outputs.
//
// Digests of the caller's may be viewed where they are, or copied. What an update reads twice must
// be the same both times: another thread that writes to them, which is a mistake but in Python an
// easy one, would else make a block and its side table, or two stores, take different keys. So
// updates get copies, 16 KiB at a time, unless they make their own in one reading. A query that
// reads a digest twice may mix the answers of two keys, and does nothing worse: any digest leads to
// a block.
//
// Each output must have the batch's size, and must not overlap its inputs. Chunks are answered
// before later ones are read, and kernels are compiled with restrict pointers: answers written over
// keys would change keys that are not read yet. Each check aborts with a message; the public member
// that takes the spans calls it once per batch.
#ifndef TROMMEL_ENGINE_SRC_KEYS_KEY_BATCHES_H_
#define TROMMEL_ENGINE_SRC_KEYS_KEY_BATCHES_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/src/base/check.h"
#include "kernels/kernels.h"
#include "trommel/digest.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"

namespace trommel {

// Returns the digests of these keys: a view where the keys are digests themselves, else written to
// `buffer`, which must have space for them.
inline std::span<const uint64_t> ViewedDigests(const DigestPolicy& policy, Keys keys, size_t first,
                                               size_t count, std::span<uint64_t> buffer) noexcept {
  if (keys.kind() == KeyKind::kDigests) {
    return std::span(static_cast<const uint64_t*>(keys.data()) + first, count);
  }
  const std::span<uint64_t> digests = buffer.first(count);
  policy.Digests(keys.Subspan(first, count), digests);
  return digests;
}

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

// Returns how many bits of a bitmap are set.
inline uint64_t CountBits(std::span<const uint64_t> bitmap) noexcept {
  uint64_t num_bits = 0;
  for (const uint64_t word : bitmap) num_bits += static_cast<uint64_t>(std::popcount(word));
  return num_bits;
}

// --- Outputs.

// Do they share a byte? (Pointers into different arrays are ordered only by std::less.)
inline bool ShareBytes(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  constexpr std::less<> kBefore;
  return !a.empty() && !b.empty() && kBefore(a.data(), b.data() + b.size()) &&
         kBefore(b.data(), a.data() + a.size());
}

inline void CheckBitmap(const Keys& keys, std::span<const uint64_t> bitmap) noexcept {
  TROMMEL_CHECK(bitmap.size() == BitmapWords(keys.size()), "bitmap of another size");
  TROMMEL_CHECK(!ShareBytes(keys.array(), std::as_bytes(bitmap)), "the bitmap overlaps the keys");
}

// The answer is yes for every key.
inline void SetAllBits(const Keys& keys, std::span<uint64_t> bitmap) noexcept {
  for (size_t first = 0; first < keys.size(); first += 64) {
    bitmap[first / 64] = ~uint64_t{0} >> (64 - std::min<size_t>(64, keys.size() - first));
  }
}

inline void CheckSelection(const Keys& keys, std::span<const uint32_t> selection) noexcept {
  TROMMEL_CHECK(selection.size() == keys.size(), "selection of another size");
  TROMMEL_CHECK(keys.size() <= UINT32_MAX, "more keys than 32-bit indices can name");
  TROMMEL_CHECK(!ShareBytes(keys.array(), std::as_bytes(selection)),
                "the selection overlaps the keys");
}

inline void CheckCounts(const Keys& keys, std::span<const uint64_t> counts) noexcept {
  TROMMEL_CHECK(counts.size() == keys.size(), "counts of another size");
  TROMMEL_CHECK(!ShareBytes(keys.array(), std::as_bytes(counts)), "the counts overlap the keys");
}

// Writes the bits of `num_keys` keys of which those in `refused` were not inserted.
inline void NotRefused(size_t num_keys, std::span<const uint64_t> refused,
                       std::span<uint64_t> inserted) {
  for (size_t w = 0; w < BitmapWords(num_keys); ++w) {
    const size_t num_bits = std::min<size_t>(64, num_keys - w * 64);
    inserted[w] = ~refused[w] & ~uint64_t{0} >> (64 - num_bits);
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_KEY_BATCHES_H_
