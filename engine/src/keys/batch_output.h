// What a batch writes: it must have the batch's size, and lie apart from what the batch reads.
//
// Chunks are answered before later ones are read, and kernels are compiled as if nothing were in
// two places: answers written over keys would change keys that are still to come. Each function
// aborts with a message; each is called once per batch, by the public member that got the spans.
#ifndef TROMMEL_ENGINE_SRC_KEYS_BATCH_OUTPUT_H_
#define TROMMEL_ENGINE_SRC_KEYS_BATCH_OUTPUT_H_

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

// Do the two share a byte? (Pointers into different arrays have an order only by std::less.)
inline bool ShareBytes(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  constexpr std::less<> kBefore;
  return !a.empty() && !b.empty() && kBefore(a.data(), b.data() + b.size()) &&
         kBefore(b.data(), a.data() + a.size());
}

// The array that the batch is a view of; not the characters that strings and views point at.
inline std::span<const std::byte> ArrayOf(const Keys& keys) noexcept {
  size_t key_bytes = sizeof(uint64_t);
  if (keys.kind() == KeyKind::kInt32) key_bytes = sizeof(uint32_t);
  if (keys.kind() == KeyKind::kViews) key_bytes = sizeof(std::string_view);
  if (keys.kind() == KeyKind::kStrings) key_bytes = sizeof(std::string);
  return {static_cast<const std::byte*>(keys.data()), keys.size() * key_bytes};
}

inline void CheckBitmap(const Keys& keys, std::span<const uint64_t> bitmap) noexcept {
  TROMMEL_CHECK(bitmap.size() == BitmapWords(keys.size()), "bitmap of another size");
  TROMMEL_CHECK(!ShareBytes(ArrayOf(keys), std::as_bytes(bitmap)), "the bitmap overlaps the keys");
}

inline void CheckSelection(const Keys& keys, std::span<const uint32_t> selection) noexcept {
  TROMMEL_CHECK(selection.size() == keys.size(), "selection of another size");
  TROMMEL_CHECK(keys.size() <= UINT32_MAX, "more keys than 32-bit indices can name");
  TROMMEL_CHECK(!ShareBytes(ArrayOf(keys), std::as_bytes(selection)),
                "the selection overlaps the keys");
}

inline void CheckCounts(const Keys& keys, std::span<const uint64_t> counts) noexcept {
  TROMMEL_CHECK(counts.size() == keys.size(), "counts of another size");
  TROMMEL_CHECK(!ShareBytes(ArrayOf(keys), std::as_bytes(counts)), "the counts overlap the keys");
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_BATCH_OUTPUT_H_
