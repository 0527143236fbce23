// The memory of the classic filters, and a digest's positions in it: shared by their kernels, their
// reference and the engine. The picture is in trommel/classic/geometry.h.
//
// An array is k slices, or one array without slices for all k hashes. A slice is m fields of 1, 2,
// 4 or 8 bits, the lowest of a byte first; it begins on a cache line, and the rest of its last line
// is zero. A field is a counter that sticks at max_count (of a single bit: a presence bit).
#ifndef TROMMEL_KERNELS_CLASSIC_ARRAY_H_
#define TROMMEL_KERNELS_CLASSIC_ARRAY_H_

#include <cstddef>
#include <cstdint>

namespace trommel::kernels {

// A view. Kernels never own the memory.
struct ClassicArray {
  uint8_t* bytes;          // 64-byte aligned
  uint64_t slice_stride;   // bytes from slice to slice, a multiple of 64; 0: no slices
  uint64_t num_positions;  // m, below 2^32
  uint32_t num_hashes;     // k
  uint32_t field_log2;     // fields of 2^field_log2 bits, 0 .. 3
  uint32_t max_count;      // 1 .. 2^(field bits) - 1
  bool is_mixed;           // hashes are mixed before they are scaled

  // The slice of hash i.
  uint8_t* slice(size_t hash_idx) const { return bytes + hash_idx * slice_stride; }
};

// MurmurHash3's finalizer for 32 bits (Austin Appleby): every bit of h reaches every bit.
constexpr uint32_t ClassicMix(uint32_t h) {
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  return h ^ h >> 16;
}

// f1 + i f2 mod 2^32 of the digest's halves f1 (high) and f2 (low, made odd).
constexpr uint32_t ClassicHash(uint64_t digest, size_t hash_idx) {
  const auto f1 = static_cast<uint32_t>(digest >> 32);
  const uint32_t f2 = static_cast<uint32_t>(digest) | 1;
  return f1 + static_cast<uint32_t>(hash_idx) * f2;
}

// The position of hash i, among m.
constexpr uint32_t ClassicPosition(const ClassicArray& array, uint64_t digest, size_t hash_idx) {
  const uint32_t hash = ClassicHash(digest, hash_idx);
  return static_cast<uint32_t>((array.is_mixed ? ClassicMix(hash) : hash) * array.num_positions >>
                               32);
}

// One field of a slice.
struct ClassicField {
  ClassicField(const ClassicArray& array, uint8_t* slice, uint32_t position)
      : byte(slice + (uint64_t{position} << array.field_log2 >> 3)),
        shift((position << array.field_log2) & 7),
        mask((1U << (1U << array.field_log2)) - 1) {}

  uint32_t Get() const { return *byte >> shift & mask; }
  // Requires a sum that fits the field, or a difference of at least zero.
  void Add(uint32_t amount) const { *byte = static_cast<uint8_t>(*byte + (amount << shift)); }
  void Subtract(uint32_t amount) const { *byte = static_cast<uint8_t>(*byte - (amount << shift)); }

  uint8_t* byte;
  uint32_t shift;
  uint32_t mask;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_CLASSIC_ARRAY_H_
