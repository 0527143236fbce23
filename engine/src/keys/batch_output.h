// Checks of a batch's outputs: each must have the batch's size, and must not overlap its inputs.
//
// Chunks are answered before later ones are read, and kernels are compiled with restrict pointers:
// answers written over keys would change keys that are not read yet. Each check aborts with a
// message; the public member that takes the spans calls it once per batch.
#ifndef TROMMEL_ENGINE_SRC_KEYS_BATCH_OUTPUT_H_
#define TROMMEL_ENGINE_SRC_KEYS_BATCH_OUTPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/src/base/check.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"

namespace trommel {

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

// Of insertions that a limit of side memory may refuse.
inline InsertOutcome SideMemoryOutcome(uint64_t num_inserted, uint64_t num_refused) {
  return {.num_inserted = num_inserted,
          .num_refused = num_refused,
          .refusal = num_refused == 0 ? GrowthRefusal::kNone : GrowthRefusal::kSideMemoryLimit};
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_BATCH_OUTPUT_H_
