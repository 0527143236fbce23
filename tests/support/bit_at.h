// Bits of bitmaps.
#ifndef TROMMEL_TESTS_SUPPORT_BIT_AT_H_
#define TROMMEL_TESTS_SUPPORT_BIT_AT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace trommel::tests {

// Bit i of a bitmap as batches write it: bit i % 64 of word i / 64.
inline bool BitAt(std::span<const uint64_t> bitmap, size_t idx) {
  return ((bitmap[idx / 64] >> (idx % 64)) & 1) != 0;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_BIT_AT_H_
